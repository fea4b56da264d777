"""Names in Chinese and Japanese text, which has neither capitals nor spaces: only what an ending gives away."""

from __future__ import annotations

import re

from timewalk.ingest.technical import Found
from timewalk.ingest.words import word_set

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005\u3007"
_RUN = re.compile(f"[{_HAN}]+")
# Words that stand beside names and are no part of them; 上, 下 and 中 begin names (上海, 中国) and are not among them.
_BREAK = re.compile(
    "[我你您他她它们的了在是和与及跟从到去来把被让给为因所以很都也就还又不没有这那哪谁吗呢吧啊请问说想要会能]"
)
_ENDS = {
    "organisation": word_set(
        "大学 公司 银行 医院 学院 集团 中学 小学 委员会 研究所 株式会社 銀行 病院 学校 会社 協会 党"
    ),
    "place": word_set("市 省 县 国 州 岛 山 河 湖 路 街 广场 机场 车站 県 島 駅 空港 広場 川 町"),
    "person": word_set("先生 女士 小姐 教授 博士 总统 主席 氏 様 首相 大統領"),
}
_TYPE = {end: kind for kind, ends in _ENDS.items() for end in ends}
_NAME = re.compile(f"[{_HAN}]{{1,6}}?(?:{'|'.join(sorted(_TYPE, key=lambda end: (-len(end), end)))})(?![市省县])")
_KATAKANA = re.compile("[ァ-ヺー]{3,}(?:・[ァ-ヺー]{2,})*")


def east_asian(text: str) -> list[Found]:
    """Han names with an ending that shows their type, and katakana words, which mostly spell foreign names."""
    found = []
    for match in _RUN.finditer(text):
        at = match.start()
        for clause in _BREAK.split(match[0]):
            for name in _NAME.finditer(clause):
                begin = at + name.start()
                found.append(Found(begin, begin + len(name[0]), name[0], _type(name[0]), 0.6))
            at += len(clause) + 1
    found += [Found(match.start(), match.end(), match[0], "thing", 0.4) for match in _KATAKANA.finditer(text)]
    return found


def _type(name: str) -> str:
    return next(_TYPE[name[-size:]] for size in (4, 3, 2, 1) if name[-size:] in _TYPE)
