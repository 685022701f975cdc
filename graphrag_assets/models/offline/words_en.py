"""English words that tell what kind of thing a name is, and words that are no names."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Titles that are taken off a name, and those that belong to it.
TITLES = _set(
    "mr ms dr prof professor captain capt judge justice mayor councillor councilman minister "
    "president senator governor ambassador director chairman chairwoman secretary chancellor "
    "officer inspector detective constable sergeant lieutenant lt colonel col general gen "
    "major admiral commander reverend rev father brother sister bishop archbishop cardinal "
    "rabbi imam engineer curator editor attorney sheriff premier skipper coach nurse "
    "commissioner congressman congresswoman representative rep sen gov sgt cmdr deputy chief "
    "master messrs mme monsieur herr frau señor señora don doña"
)
KEPT_TITLES = _set(
    "mrs miss sir dame lady lord king queen prince princess duke duchess earl count countess "
    "baron baroness emperor empress pope saint st aunt uncle old tiny little"
)

PERSON_FIRST = _set(
    "mr mrs ms miss dr sir dame lady lord uncle aunt king queen prince princess duke duchess pope"
)
ORGANIZATION = _set(
    "inc ltd llc plc corp corporation company co gmbh ag bank institute institution university "
    "college academy school council committee commission board cooperative co-operative union "
    "association federation league museum gallery library courier times post press news herald "
    "gazette tribune journal guardian chronicle agency ministry department bureau office party "
    "group foundation fund capital shipping lines ferries grid mutual partners holdings energy "
    "turbines systems technologies technology industries enterprises ventures solutions "
    "services labs laboratories laboratory trust authority court senate parliament congress "
    "assembly society club team orchestra band insurance assurance airlines airways railways "
    "railway rail motors pharma pharmaceuticals electronics software networks media studios "
    "records hospital clinic church army navy police force guard brigade regiment consortium "
    "alliance coalition network forum center centre service administration brothers sons "
    "associates works brewery foods stores power electric oil gas mining steel tidal"
)
PLACE = _set(
    "street road avenue lane square bay sound harbour harbor island islands isle river lake "
    "sea ocean mountain mountains mount hill hills valley park garden gardens bridge light "
    "lighthouse tower castle palace cathedral abbey airport station port city town village "
    "county province state coast point cape head peninsula strait channel gulf desert forest "
    "wood woods beach bank banks shore hotel inn house hall court gate plaza district region "
    "territory republic kingdom north south east west creek falls canyon reef basin quay pier "
    "dock canal wharf farm alley yard prison cemetery rock rocks fjord delta plains dam field "
    "fields heath moor glen terrace"
)
EVENT = _set(
    "eve storm hurricane typhoon cyclone war battle siege revolution revolt uprising summit "
    "conference congress festival olympics games cup championship tournament election "
    "referendum treaty accord accords agreement crisis earthquake flood fire massacre trial "
    "hearing inquiry exhibition expedition mission campaign operation project programme "
    "program act day night convention marathon parade strike protest scandal disaster pandemic "
    "plague famine"
)
FACILITY = _set(
    "array plant reactor pipeline cable turbine farm refinery mine platform rig telescope "
    "observatory satellite station tunnel line railway"
)
EVENT_FIRST = _set(
    "storm hurricane typhoon cyclone battle siege operation treaty tropical project mission"
)
PLACE_FIRST = _set("mount lake cape port fort san santa los las saint st isle gulf bay strait")
# `permit CEB-2031-17`: the noun belongs to the name.
NUMBERED_DOCUMENTS = _set(
    "permit licence license contract decision resolution regulation directive patent order "
    "case bill law act decree ruling flight agreement"
)
NUMBERED = _set(
    "section chapter clause article figure fig table page stave part volume vol number no item "
    "point finding step line note question answer annex appendix class episode act scene day "
    "week version phase position turbine turbines machine group level grade season room route "
    "article"
)

# A noun before or behind a name -> what the name is.
NOUNS = {
    "vessel": _set(
        "vessel ship ferry yacht barge barque boat trawler tug submarine schooner frigate "
        "steamer aircraft airplane plane helicopter rocket spacecraft satellite probe rover "
        "lander shuttle tanker sloop brig cutter liner freighter cruiser destroyer carrier "
        "capsule lifeboat"
    ),
    "organization": _set(
        "company firm fund bank operator maker supplier manufacturer agency newspaper magazine "
        "startup retailer insurer broker charity ministry publisher broadcaster airline "
        "carrier consortium subsidiary institute university"
    ),
    "place": _set(
        "town village city river island harbour port county province region country district "
        "lake valley hill mountain bay strait suburb capital headland lighthouse hotel street"
    ),
    "event": _set(
        "exhibition festival storm hurricane typhoon conference summit war battle campaign "
        "tournament ceremony operation"
    ),
    "person": _set(
        "engineer minister skipper chair chairman chairwoman curator officer master director "
        "judge mayor founder executive lawyer captain teacher doctor professor scientist "
        "journalist reporter editor author writer president secretary spokesman spokeswoman "
        "spokesperson owner manager analyst economist researcher nurse clerk nephew niece "
        "uncle aunt father mother brother sister son daughter wife husband widow king queen "
        "prince princess actor actress singer poet politician senator leader commander soldier "
        "detective merchant partner friend boy girl man woman gentleman ghost spirit phantom "
        "spectre giant ogre sultan angel devil grocer poulterer founder prophet councillor"
    ),
    "product": _set(
        "model software app device engine phone drug vaccine novel book film song album "
        "podcast magazine programme series game painting"
    ),
}
# Nouns of places that are as often surnames.
SURNAMES = _set(
    "hall hill hills field fields wood woods church park banks marsh forest castle lake rock "
    "heath glen north south east west house bridge street lane court rivers shore beach mount "
    "farm moor"
)
NAUTICAL = NOUNS["vessel"] | _set("crew skipper sail sails sailed deck hull aboard voyage mast bow")
# What only people do.
HUMAN = _set(
    "dined wept laughed smiled nodded sighed married met walked sat stood clapped slept "
    "whispered shouted cried muttered joked lives lived knew teaches taught thinks thought "
    "believes asked told"
)
SPEECH = _set(
    "dined denied denies died met married lives lived founded resigned led leads knew wanted "
    "became moved worked thanked owns wrote taught teaches wept said says say told asked "
    "replied added wrote writes thinks thought believes argued cried returned answered wept "
    "laughed smiled exclaimed whispered muttered nodded explained recalled noted insisted "
    "joked sighed shouted walked sat stood clapped"
)
ABOARD = ("aboard", "on board", "crew of", "deck of", "wreck of", "master of", "skipper of",
          "captain of", "wreck", "bow of", "hull of", "voyage of", "sinking of")  # fmt: skip

CONNECTORS = _set("of de del della van der den von zu du la le les bin ibn al el y da dos das di")
# A word that may stand before `of` in a name.
BEFORE_OF = _set(
    "bank university ministry department house board museum isle bay gulf battle treaty "
    "republic kingdom institute court city state council church duke earl king queen prince "
    "princess lord lady count bishop ghost spirit office college school society association "
    "federation union order port cape mount commonwealth bureau chamber league academy centre "
    "center library palace tower temple valley sea strait archbishop act declaration company "
    "siege war festival feast book song house town village county isles spirits tale story"
)

CALENDAR = _set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december jan feb mar apr jun jul aug sep sept "
    "oct nov dec spring summer autumn winter mon tue wed thu fri sat sun"
)
NATIONALITIES = _set(
    "english french german italian spanish chinese japanese russian american british irish "
    "scottish welsh dutch swedish norwegian danish finnish polish greek turkish arabic hebrew "
    "latin european african asian indian canadian australian mexican brazilian korean "
    "christian christians christmas easter muslim jewish catholic protestant buddhist "
    "americans britons germans russians"
)
# Capitalised by position or habit, never names by themselves.
NO_NAMES = _set(
    "i i'm i'd i'll i've the a an this that these those he she it we you they his her its our "
    "your their my mine yours who what when where why how which whose and or but if so yet nor "
    "for of in on at by to from with as not no yes yeah ok okay oh ah dear sir madam sirs note "
    "date kind title subject author source text page am pm bc ad ce bce etc vs re cc ps nb "
    "everybody everyone nobody nothing something anyone none all both each every some any many "
    "most few several such there here then now today yesterday tomorrow once still also "
    "however therefore because while after before since until during under over between one "
    "two three four five six seven eight nine ten first second third last next another other "
    "others new old good great mr mrs ms miss dr is are was were be been has have had do does "
    "did will would can could should may might must let don't it's he's she's that's there's "
    "what's we'll we've you're they're isn't wasn't can't won't didn't doesn't gwh mwh kwh mw "
    "kw km kg usd eur gbp ceo cfo cto phd faq pdf html url utc gmt summary abstract "
    "introduction contents conclusion appendix references table figure chapter section part "
    "present approved cost risk advice answer question decision goods delivery delay warranty "
    "finding signed prepared reporting kept tv dvd god heaven bless merry humbug hurrah halloo "
    "hilli-ho yo whoop thank'ee ha hallo hello bye thanks please sorry well why ay aye nay bah"
)
# A capitalised noun that stands for a name given in full elsewhere: `the Board`.
HEADS = ORGANIZATION | PLACE | FACILITY | EVENT | _set("fund ship agency supplier buyer")
