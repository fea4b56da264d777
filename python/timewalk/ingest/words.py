"""Word lists of the rule-based extractor: what is written with a capital letter and yet names nothing."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Never part of a name, wherever they stand.
STOP = word_set("""
a an the this that these those here there where when why how what which who whom whose i me my mine myself we us our
ours ourselves you your yours yourself he him his himself she her hers herself it its itself they them their theirs
themselves and or but nor so yet if then else than because since while although though unless until whether as at by
for from in into of off on onto out over to toward towards under up upon via with within without about above across
after against along among around before behind below beneath beside besides between beyond down during except inside
near outside past per through throughout am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought not no yes yeah yep yup nope ok okay hey hi hello bye goodbye
thanks thank please sorry wow oh ah aw haha hmm huh lol omg btw fyi imo imho asap well sure maybe perhaps also just
only even still again too very much many more most less least few several some any all both each every either neither
none nothing something anything everything nobody somebody anybody everybody someone anyone everyone other another
such same own now today tomorrow yesterday tonight ago later soon already always never often sometimes usually once
twice first second third last next let lets don doesn didn isn aren wasn weren won wouldn couldn shouldn can't cannot
gonna wanna gotta kinda re ve ll im ive dont id ill et al etc eg ie vs via cc ps nb todo fixme xxx
am pm utc gmt est pst cet bc ad bce ce
der die das und ist nicht ich ein eine mit auf dem den les des une est pas je il elle nous vous el los las una y es con
por para que lo gli sono della os um uma não
""")

# Stopwords that are names, or parts of one, inside a sentence: Theresa May, Will.
STOP_AND_NAME = word_set("may will art")

# Begin a sentence and go before a name without belonging to it: verbs of command and report, adverbs, conjunctions.
STARTERS = word_set("""
add adds added allow allows allowed apply avoid backport build bump call change changed check clean cleanup convert
correct create cut define delete deprecate disable document don't drop dropped enable ensure enhance expand export
expose extend extract fix fixes fixed fixup force format generate give handle hide implement import improve include
increase decrease initialize init install integrate introduce introduced keep limit link load lock log make makes mark
merge merged migrate modify move moved need needs new omit open optimize parse pass pin port prefer prepare prevent
print pull push put raise read refactor register reject release relax remove removed removes rename reorder replace
replaced report reset resolve respect restore restrict return revert reverts reverted rewrite rework run save send set
setup show simplify skip sort split start stop store support suppress swap switch sync test tests tidy track treat try
turn tweak unify update updated updates upgrade use used uses using validate verify wait wire work works wrap write
ask asked asking believe bring buy come came discuss discussed eat feel felt find found get gets getting go goes going
went got guess happen happened hear heard help helped hope imagine know learn learned leave left like liked listen live
lived look looked looking lose lost love loved meet met miss missed move paid pay plan planned play played remember
said say says saw see seen seem sell sold speak spent spoke talk talked talking teach tell think thinking thought told
took take taking visit visited want wanted watch watched wish wonder worked wrote
actually additionally afterwards almost altogether anyway apart apparently basically certainly clearly consequently
currently despite due earlier especially eventually ever finally fortunately frequently furthermore generally hence
hopefully however indeed initially instead lately likewise mainly meanwhile moreover mostly namely nearly nevertheless
nonetheless normally notably note obviously occasionally originally otherwise overall particularly possibly presumably
previously probably quickly quite rather really recently regarding similarly simply slowly somehow specifically
suddenly supposedly surely therefore thus together totally truly typically ultimately unfortunately unlike usually
whatever whenever wherever whereas whoever absolutely exactly definitely congrats congratulations cool awesome amazing
great good nice glad happy dear cheers welcome
""")

# Ordinary words that often open a sentence; alone at its begin they are no name.
COMMON = (
    STARTERS
    | STOP
    | word_set("""
able accident account action activists activity actor afternoon age agent agents air aircraft airport album animal
announcement answer apartment appeal apps area argument army art article artist artists attack attacks attempt
attention audience authorities author authors autumn award baby back bad bag ball band bank bar base bed big bike bill
bird birds birthday black block blood blue board boat body bomb book books border boss bottom box boy boys brother
brown budget bug building buildings bus business businesses camp campaign camping car card care cars case cases cash
cat cats cause celebrities cell center central centre century chance chapter character chemical chief child children
choice church cities citizens city civilians class classes client clients climate clock clothes cloud club coach code
coffee cold college color comment comments commission committee common community companies company computer concert
conference config configuration conflict connection context control cooking copy core corner cost council countries
country couple course court cousin creative critics crowd crowds culture current customer customers dad daily damage
dance dark data database date daughter day days dead deal death deaths decision default defence delivery demand
demonstrators design detail details developer developers device diet difficult dinner diplomats direct director
directory disaster doctor doctors dog dogs dollar door double dozens draft dream driver drivers drugs dry earth
earthquake east eastern easy economy edge education eight elections element email emergency employees end enemy energy
engine engineer engineers english entry environment error errors evening event events everyday evidence exam example
excellent exception exercise experience experts explosion eye eyes face fact factory failure fall families family fans
farm farmers fashion fast father favorite feature features federal feedback field fight fighters fighting figure file
files film fine fire firefighters fish five flight flights floor flower flowers folks following food football
forces foreign forest form former forward four free fresh friend friends front full fun function functions funny future
game games garden gas general girl girls global goal goals gold government graph gray green ground group groups growth
guests guitar gun gunmen guy guys hair half hand hands hard head header health heart heavy high hiking history hobby
holiday home homes honest hospital hospitals host hot hotel hour hours house household human hundreds hurricane husband
idea ideas image images impact important incident index industry info information input inside inspiring instance
insurance interest interface interesting international internet interview investigation investigators island issue
issues item items job jobs journalist journalists journey judge judges jury justice key keys kid kids kind king kitchen
knowledge land language large late law lawmakers lawyer lawyers leader leaders leadership learner learning legal lesson
letter level library life light lines list lists little local location logs long lots low lunch machine magazine mail
main major male man manager manual map market markets massive match material matter media medical medicine meeting
member members memory men message messages metadata method middle migrants miles military million millions mind
minister ministers minor minute minutes missile missing mission mistake mode model modern module mom moment money month
monthly months morning mother motivation mountain mountains mouth movie mum music musician name names nation national
nature negative neighbor neighbors network news night nine nobody noise normal north northern nurse object objects
office officer officers officials oil old older one online opponents opposition option options orange order
orders organization organizers original output owner packet packets page pages paint painting pair paper papers parent
parents park part parties partner party passengers path patient patients pattern peace people performance period person
personal pet pets phone photo photography picture pictures piece pilot pink place places plane planes planning plans
plant plants player players plot point points police policy political politicians pool poor popular port position
positive possible post posts potential power practice premier present president press previous price prices prime
prior prison prisoners private problem problems process product production professor program progress project projects
property prosecutors protest protester protesters protests proud public purple quality query question questions quick
quiet race radio rain reading reason reasons rebel rebels record red reference region regions regular relations
relationship relatives religion remote republic request requests rescue rescuers research researchers residents
respect response rest restaurant result results rice rich right rights ring river road roads rock role room rooms root
rule rules running sad safe safety sales sample saturday scene school schools science scientists screen script sea
search season seat secret section sectors security self senior sentence separate series server servers service services
session seven sex shooting shop short shot shots show sick side sign simple single sister site sites situation six size
skills sky sleep small smart smoke snow social society software soldiers solution son song sorry sound source south
southern space special speech sport sports spring staff stage standard star state states station step steps store
stories storm story strange street strong student students studies study stuff style subject success summer sun super
supper support supporters survivors swimming system systems table talk tank tanks target task tasks tax teacher
teachers team teams technology teen temperature ten tens term terrible tests text theme theory therapist therapy thing
things thousand thousands thread threads three time times timing tiny tip tips tired title top topic total tough tour
tourists town traditional traffic train training travel tree trees trial trip trips trouble troops truck true trust
truth two type types unit unknown user users vacation value values variable vehicle vehicles version versions veterans
victims video videos view village violence voice voters votes volunteer volunteers walk wall war warning water wave way
ways weather web website wedding week weekend weeks weekly west western white wife wild wind window wine winter witness
witnesses woman women wonderful wood word words worker workers workshop world worse worst wow writer writing wrong yard
year years yellow yoga young younger youth zero zone
appreciate aww awwh best bet bless bravo bring catch chat cherish chill count crazy cute dang dope downside enjoy
enjoyed excited fancy feels fair gee glad glimpse gosh ha haha hang hanging haven hooray imagine keeping kudos lately
looks love lovely lucky mental mm mmm nah neat oof oops ouch phew plus pretty proud reminds rest rock setbacks sounds
speaking stay stoked super sweet tell thankful thoughts thrilled totally trust ugh um upstream whoa woah woohoo wonder
yay yea yum challenges dreams art author authors acknowledgements subject submitted signed-off-by acked-by reviewed-by
tested-by reported-by suggested-by co-authored-by submitted-at reported-at tested-at helped-by requested-by cc
upstream backport backported commit commits patch patches fixes closes reference references vmware-bz bugzilla
cómo qué cuándo dónde quién pero pour avec dans mais nous bonjour merci wie was wann wer warum aber auch wir sie danke
""")
)

# Words by whose ends an ordinary word is known at the begin of a sentence, and names that end like that.
COMMON_END = re.compile(
    r"(?:[^mr]ed|ing|tions?|sions?|ments?|ness|ly|able|ible|ive|ous|ful|less|ities|ity|isms?|ists?)$"
)
NAMES_ALL_THE_SAME = word_set("""
beijing nanjing chongqing boeing sterling ming ping viking reading harding golding emily sally molly billy kelly lily
holly polly carly kimberly beverly italy sicily july willy shelly ely clement trinity felicity charity christ
alfred winifred manfred wilfred mildred ahmed waleed saeed javed majed rashed bing sting
""")

WEEKDAYS = word_set("""
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
mon tue tues wed thu thur thurs fri sat sun
""")
MONTHS = word_set("""
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
""")
SEASONS = word_set("spring summer autumn fall winter today tomorrow yesterday quarter q1 q2 q3 q4 h1 h2")

PERSON_TITLES = word_set("""
mr mrs ms miss mx dr prof professor sir dame lord lady king queen prince princess president chancellor minister senator
rep sen gov governor mayor judge justice general gen colonel col captain capt lieutenant lt sergeant sgt major admiral
pope bishop father mother sister brother saint uncle aunt grandma grandpa coach rev hon herr frau monsieur madame señor
señora don doña
""")
PLACE_WORDS = word_set("""
city town village county state province district street st. road avenue boulevard lane square park garden gardens
river lake sea ocean bay beach island islands mountain mountains mount mt hill valley desert forest airport station
harbor harbour center centre bridge castle palace tower hall room building house hotel
museum temple church cathedral mosque stadium
north south east west peninsula canyon creek falls coast cape
""")
ORGANISATION_WORDS = word_set("""
inc inc. ltd ltd. llc corp corp. corporation company co. gmbh ag plc sa group holdings university college school
institute academy ministry department agency council committee commission parliament senate congress court bank
foundation association society union federation league party army navy police times post news press journal
observatory laboratory laboratories lab labs airlines airways motors systems technologies software studios records
united brotherhood forces organization organisation network nations club team fc
""")
EVENT_WORDS = word_set("""
war battle revolution olympics cup conference summit festival marathon election elections crisis treaty agreement
hurricane earthquake championship championships games prix expo forum ceremony parade day
""")

# Acronyms, and words in capitals, that name nothing.
SHOUTS = word_set("""
ok lol omg btw fyi imo imho asap todo fixme xxx am pm utc gmt est pst cet edt pdt no yes not and or
""")
ORGANISATION_HEADS = word_set("""
university ministry department bank council institute academy college association united museum
""")
SMALL = word_set("""
a an and as at but by for from in into is nor of on or the to with vs de la le les et und der y
""")
# Ordinary words that begin names with "of": Bank of England, Battle of Hastings, Lake of Como.
HEADS = PERSON_TITLES | PLACE_WORDS | ORGANISATION_WORDS | EVENT_WORDS
