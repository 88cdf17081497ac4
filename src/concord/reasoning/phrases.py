# ruff: noqa: E501 - a line per group of words reads better than one that is broken
"""Words that mark an answer, and words that take a diagnosis back, in the languages of the bundled sets.

Everything here is lower case. English, German, Spanish, French, Chinese, Japanese, Korean, in this order.
"""

import re

# --- where an answer is ---------------------------------------------------------------------------

NOUNS = (
    r"diagnosis|dx|answer|conclusion|impression|verdict"
    r"|(?:verdachts|end|haupt|abschluss)?diagnose|antwort|fazit|schlussfolgerung|ergebnis"
    r"|diagn[oó]stico|respuesta|conclusi[oó]n"
    r"|diagnostic(?=\W*(?:[:：=—–→\n]|$|(?:final|retenu|principal|probable|le plus|le mieux|est|serait|reste|demeure|"
    r"que|pos[eé]|propos[eé])(?!\w)))|r[eé]ponse"
)
NOUNS_CJK = r"诊断|診斷|答案|结论|結論|診断|回答|答え|진단|답변|결론|답"
NOUNS_START = r"(?=[acdefhirsv诊診答结結回진답결])"
"""What each of them begins with: a look at one character rules out nearly every place of a text."""
"""What an answer is called; what comes before and after it may say that another thing is meant."""

KEY_NAMES = (
    r"(?:(?:final|most[ _-]?likely|likely|primary|main|principal|best|predicted|top|my|the)[ _-]?){0,2}"
    r"(?:diagnosis|answer|dx|conclusion|prediction|label)"
    r"|(?:endg[uü]ltige|wahrscheinlichste|finale)?[ _-]?(?:diagnose|antwort)"
    r"|(?:diagn[oó]stico|respuesta)(?:[ _-]?(?:final|principal|m[aá]s[ _-]probable))?"
    r"|(?:diagnostic|r[eé]ponse)(?:[ _-]?(?:finale?|principale?|retenue?|(?:le[ _-])?plus[ _-]probable))?"
    r"|(?:最终|最終|主要)?(?:诊断|診斷|診断|答案|回答|答え)|(?:최종[ _]?)?(?:진단|답변|답)"
)
"""Names of a JSON key or an XML tag that holds the answer."""

NAME_KEYS = ("name", "label", "diagnosis", "value", "answer", "text", "condition", "disorder", "title")
"""Where an answer that is itself an object holds its name."""

NOT_BEFORE = re.compile(
    r"(?<![^\W_])(?:differential|alternative|alternate|other|others|previous|past|prior|former|earlier|"
    r"initial|referral|referring|admission|admitting|second|secondary|third|excluded|rejected|discarded|wrong|"
    r"incorrect|erroneous|mistaken|possible|potential|considered|family|no|not|without|any|every|each|against|"
    r"mis|example|sample|question|old|competing|rival|comorbid|formal|medical|"
    r"keine?|andere|alternative|fr[uü]here|vorherige|falsche|m[oö]gliche|zweite|"
    r"otro|otra|ning[uú]n|sin|falso|posible|alternativo|un|"
    r"aucun|autres?|sans|faux|pr[eé]c[eé]dent|ancien|deuxi[eè]me|premier)(?:\s+(?:the|a|my|der|die|el|la|le))?\W*$"
    r"|(?:differential|differenzial|fehl|鉴别|鑑別|감별|既往|曾|误|誤|其他|他の|다른|감별 ?|正式な|医学|の|초기 ?)$",
    re.IGNORECASE,
)
"""Ends of the text before a noun that make it no marker."""

NOT_AFTER = re.compile(
    r"\b(?:of|criteria|considered|excluded|rejected|differential|requires?|if|code|codes|by|for|questions?|"
    r"diferencial|previo|err[oó]neo|anterior|alternativo|de|kriterien|von|ausgeschlossen|"
    r"diff[eé]rentiel|ant[eé]rieur|erron[eé]|alternatif|crit[eè]res|exclus?|[eé]cart[eé]s?|initial|"
    r"and|or|und|y|et|ou|not|no|nicht|pas)\b",
    re.IGNORECASE,
)
"""Words between a noun and its colon that make it no marker."""

COPULAS = (
    r"(?:here |in this case |therefore |thus |then |overall |for (?:him|her|this \w+) )?"
    r"(?:is|was|would be|remains|must be|should be|seems to be|appears to be|could best be)"
    r"(?: therefore| thus| then| clearly| simply| best described as| most likely| likely| probably)?(?: that of)?"
    r"|ist|lautet|w[aä]re|bleibt|es|ser[ií]a|parece ser|sigue siendo"
    r"|est(?: donc| alors| clairement| probablement| vraisemblablement)?(?: celui)?|serait|reste|demeure|(?:semble|para[iî]t) [eê]tre"
)
COPULAS_CJK = r"(?:应|應|可|当|故)?(?:是|为|為)|は|[은는]"

LEADS = (
    r"most likely(?: diagnosis)?|likeliest|most probable|top|best fit|final|(?:primary|principal)(?=[*_]{0,3}[ \t]*[:：])|"
    r"am (?:wahrscheinlichsten|ehesten)(?: ist)?|lo m[aá]s probable(?: es)?|"
    r"(?:le|la) plus (?:probable|vraisemblable)(?: est)?|"
    r"最可能的是|最有可能的是|最も可能性が高いのは|最も考えられるのは|가장 가능성이? ?높은 (?:것|질환)은"
)
"""Openings of a clause that mark what follows as the answer without naming it one."""

PLACEHOLDER = re.compile(
    r"^\W*(?:i (?:do not|don[’']t|cannot) (?:know|say|tell)|(?:i am |i'm )?not sure|no idea|the name of|name of the|\.\.\.|…|your (?:answer|diagnosis)|"
    r"un(?:determined|known|clear|certain)|indeterminate|inconclusive|deferred|pending|"
    r"none (?:can|could) be|no diagnosis (?:can|could) be|to be determined|not (?:determined|determinable|clear|possible)|n/?a|none given|"
    r"cannot be (?:determined|established|made)|can'?t be (?:determined|established)|"
    r"(?:in)?sufficient (?:information|data)|more information|"
    r"unklar|unbekannt|offen|nicht bestimmbar|indeterminado|desconocido|no determinado|sin determinar|"
    r"ind[eé]termin[eé]|inconnu|incertain|non d[eé]termin[eé]|[aà] d[eé]terminer|je ne sais pas|impossible [aà] (?:d[eé]terminer|pr[eé]ciser)|"
    r"aucun diagnostic ne|ne peut [eê]tre)(?!\w)"
    r"|^\W*(?:the name of|name of the|\.\.\.|…|不明|未定|待定|无法确定|無法確定|判断できません|不確定|미정|불명|알 수 없)",
    re.IGNORECASE,
)
"""Beginnings of a content that is no answer: a form that was not filled in, or a shrug."""

REASONING = re.compile(
    r"(?<![^\W\d_])(?:reasoning|rationale|analysis|begr[uü]ndung|razonamiento|raisonnement|analyse|justification|推理|分析|理由|推論|추론|근거)"
    r"[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3}",
    re.IGNORECASE,
)

# --- what a mention of a diagnosis is worth -----------------------------------------------------------

CERTAIN = re.compile(
    r"\b(?:no|little|hardly (?:any|a)|not|without(?: any| an?)?|beyond(?: any| an?| reasonable| all)?)(?: reasonable)? (?:doubt|question)\b|\bnot surprisingly\b|\bnot only\b|"
    r"\bnothing (?:other|else|less|short) (?:than|of)\b|\bnothing but\b|\bno other than\b|\bnone other than\b|"
    r"\bunquestionably\b|\bcannot but\b|\bnot to say\b|\bno further\b|\bno longer\b|\bif anything\b|\bif (?:i (?:had|have|must|were)|forced|pressed|asked|only one)[^,.:;\n]{0,30}[,:]|"
    r"\bkein(?:en)? zweifel(?: daran)?\b|\bohne (?:jeden )?zweifel\b|\bohne frage\b|\bnichts anderes als\b|\bzweifellos\b|"
    r"\bno cabe duda(?: de que)?\b|\bsin (?:lugar a )?dudas?\b|\bsin ninguna duda\b|\bno hay duda\b|"
    r"\bsans (?:aucun |nul )?doute(?: possible)?\b|\b(?:il n[’']y a )?(?:aucun|pas de) doute(?: possible)?\b|\bne fait (?:aucun|pas de) doute\b|\brien d[’']autre qu\w*|\bpas seulement\b|"
    r"毫无疑问|毫無疑問|无疑|無疑|没有疑问|不外乎|間違いなく|疑いなく|의심할 여지 ?없이|틀림없이|분명히",
    re.IGNORECASE,
)
"""Denials that affirm; they are taken out before negation is looked for."""

_BEFORE_WORDS = (
    r"not|no|never|neither|nor|without|cannot|\w+n[’']t|unlikely|less likely|least likely|"
    r"rul(?:e|es|ed|ing) out|r/o|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?|dismiss(?:es|ed)?|discard(?:s|ed)?|"
    r"rather than|instead of|in place of|as opposed to|differ(?:s|ent)? from|distinct from|"
    r"absence of|lacks?|lack of|(?:insufficient|too (?:short|long|few|little|mild|brief)) for|inconsistent with|"
    r"against|unlike|den(?:y|ies|ied)|doubt(?:s|ed|ful)?|short of|except|but for|"
    r"versus|vs|history(?: of)?|past|previous(?:ly)?|prior|former(?:ly)?|earlier|in remission|"
    r"misdiagnos\w+(?: of| as)?|one (?:of several|could think)|mislabel\w*(?: as)?|mistaken(?:ly)?(?: for)?|wrong(?:ly)?|erroneous(?:ly)?|"
    r"confus\w+ with|mimics?|mimicking|resembl\w+|"
    r"differentials?|differential diagnos[ie]s|ddx|alternatives?|also considered|(?:was|were|is|are|be|being) considered|consider|"
    r"keep in mind|think of|whether|(?:hard|difficult|impossible) to say|background of|superimposed on|such as|worried about|concern(?:ed|s)? about|criteria of|"
    r"(?:it|this|that|which) would (?:then |only )?(?:be|mean|suggest|point)|would (?:become|have(?: been| said| called it)?|need|turn)|"
    r"could (?:only|still|also) (?:be|become)|might (?:become|be mistaken)|"
    r"(?:might|may|could|can|would) (?:suggest|point to|indicate|look like|resemble|mimic)|at first|initially|"
    r"about(?: a| the)? possible|please|why (?:it is )?not|unless|if|"
    r"had (?:there|he|she|it|they)|were (?:it|there|he|she|they|the)|"
    r"mother|father|parents?|uncle|aunt|sister|brother|cousin|grand\w+|family|"
    r"risk (?:of|for)|fear of|rule-out|second(?:ly)?|third(?:ly)?|"
    r"nicht|kein\w*|ohne|weder|noch|statt|anstatt|anstelle|gegen|ausgeschlossen|ausschluss|verworfen|"
    r"vorgeschichte|zustand nach|z +n|anamnes\w+|fehldiagnose|fälschlich|falschlich|wäre|ware|wenn|falls|"
    r"differential\w*|differenzial\w*|warum|eher als|früher\w*|fruher\w*|"
    r"ni|sin|en lugar de|en vez de|m[aá]s que|antes que|frente a|contra|descart\w+|exclu[iy]\w+|"
    r"dd|(?:mistake|error|premature|tempting|wrong) to (?:diagnose|call(?: it| this)?|label(?: it| this)?|assume)|"
    r"(?:podr[ií]a|puede|cabr[ií]a) (?:pensarse|pensar|parecer|sugerir)(?: en)?|"
    r"antecedentes?|historia de|err[oó]ne\w+|mal diagnosticad\w+|ser[ií]a|si|por qu[eé] no|diferencial\w*|previ[oa]\w*|"
    r"pas|jamais|aucune?|non pas|non(?= (?:une?|le|la|du|de|des)(?!\w))|plut[oô]t qu\w*|au lieu d\w*|[eé]cart\w+|[eé]limin\w+|rejet\w+|contrairement|"
    r"exclu(?:s|e|es|t|re|ant)?|ant[eé]c[eé]dents?|(?:mal|faussement|[aà] tort) (?:diagnostiqu\w+|[eé]tiquet\w+)|diff[eé]rentiels?|"
    r"se distingue|[aà] distinguer|(?:pourrait|peut|pourraient) (?:[eé]voquer|faire penser|sugg[eé]rer|faire [eé]voquer|mimer|[eê]tre confondue?)|"
    r"aurait (?:[eé]t[eé]|fallu)|s[’']il|pourquoi pas|insuffisants? pour|absence d\w*|moins probables?|peu probables?|contre"
)
_BEFORE_CJK = (
    r"不是|并非|並非|并不是|非|没有|沒有|不符合|不支持|排除|而非|而不是|不属于|误诊为|誤診為|误诊|既往|病史|如果|若|"
    r"假如|倘若|曾|鉴别|鑑別|为什么不|與其|与其|もし|鑑別|除外|감별|배제|만약|❌|✗|✘|🚫|❎"
)
_JUST_BEFORE = (
    r"^\s*(?:>|≫|(?:over|better than|more than)(?: an?| the)?)\s*$"
    r"|(?<!\w)(?:either|entweder|o bien|soit)(?: an?| the| eine?| una?| une?)?\s*$"
    r"|(?<!\w)(?:favou?red|preferred|more likely|likelier|more probable) (?:over|than|to)(?: an?| the)?\s*$"
    r"|(?<!\w)(?:teachers?|school|husband|wife|partner|friends?|gp)(?: \w+)? (?:suspected|assumed)(?: an?)?\s*$"
    r"|(?<!\w)(?:although|though|while|aunque|obwohl)(?: an?| the| una?| eine?)?\s*$"
    r"|(?<!\w)(?:secondary|tertiary|comorbid(?:ity|ities)?|runner[- ]up|nebendiagnose|zweitdiagnose|secundari[oa])"
    r"(?: diagnos[ie]s| diagn[oó]stico)?[*_]{0,3}\s*[:：][*_\s]*$"
    r"|(?<!\w)(?:bien qu|quoiqu)[e’']\s*(?:une?|le|la)?\s*$|(?<!\w)diagnostic secondaire[*_]{0,3}\s*[:：][*_\s]*$"
)
"""What takes a mention back only where nothing is between: "A over B", "although B", "Secondary: B"."""
BEFORE = re.compile(rf"(?<!\w)(?:{_BEFORE_WORDS})(?!\w)|{_BEFORE_CJK}|{_JUST_BEFORE}", re.IGNORECASE)
"""A mention after one of these, in its clause, is no answer."""

_AFTER_WORDS = (
    r"(?:(?:is|was|are|were|be|been|being|(?:can|could|should|must|may|needs to|has to|remains to) be|has been|have been|gets?|now)\s+)?(?:\w+ly\s+)?"
    r"(?:ruled out|excluded|rejected|discarded|dismissed|dropped|unlikely|less likely|improbable|weighed|set aside|"
    r"considered|not (?:supported|met|likely|present|given|fulfilled|the case|enough|convincing|fit|it)|out|"
    r"absent|wrong|untenable|second|out of the question|among|one of|conceivable|possible|thinkable|a possibility|"
    r"only one of|worth (?:considering|a thought))"
    r"|(?:is|was|are|were|does|do|did|can|could|would|will|has|have)(?: not|n[’']t)|cannot|fails?|falls short|"
    r"wrongly|mistakenly|would (?:have|need|require|be|explain|not)|was my first|came to mind|comes to mind|"
    r"in remission|in (?:his|her|their) (?:youth|past)|as a teenager|can be|"
    r"(?:ist |sind |wird |wurde |kann )?(?:\w+ )?(?:ausgeschlossen|verworfen|unwahrscheinlich|weniger wahrscheinlich)|scheide\w* aus|"
    r"stellen|abgeben|kann man denken|kommt in (?:frage|betracht)|w[aä]re m[oö]glich|ist m[oö]glich|liegt nicht|passt nicht|reicht nicht|gen[uü]gt nicht|trifft nicht|ist nicht|"
    r"(?:queda|est[aá]|fue|es) (?:descartad\w+|excluid\w+|poco probable|improbable)|descartad\w+|"
    r"no (?:se|es|encaja|cumple|explica)|es (?:posible|una posibilidad)|"
    r"(?:(?:est|sont|a [eé]t[eé]|ont [eé]t[eé]|semblent?|para[iî]t|reste|peut [eê]tre|doit [eê]tre)\s+)?(?:\w+ment\s+)?"
    r"(?:exclue?s?|[eé]cart[eé]e?s?|[eé]limin[eé]e?s?|rejet[eé]e?s?|improbables?|peu (?:probables?|vraisemblables?)|moins (?:probables?|vraisemblables?))|"
    r"(?:est|sont|reste) (?:possibles?|envisageables?|[aà] (?:exclure|[eé]liminer|[eé]carter))|n[’'](?:est|explique|y a)|"
    r"ne (?:correspond|convient|suffit|remplit|colle|peut|rend)\w*"
)
_AFTER_CJK = (
    r"(?:已|可|被|可以|得以|予以)?(?:被)?排除|不成立|等|也(?:有可能|可能)|不支持|不符|的?可能性(?:较|很|比较)?(?:小|低|不大)|病史|还是|還是|史\b|"
    r"的?(?:诊断)?标准(?:并)?(?:不|未|没有)|相?(?:鉴别|鑑別|区分|區分)|との?鑑別|の(?:診断)?基準[はを](?:満たさ|満たして(?:い|お)(?:ない|ら))|"
    r"では(?:ない|なく|ありません)|じゃない|でない|は(?:否定|除外|考えにくい|当たら|該当しな)|を(?:否定|除外)|より(?:も)?|"
    r"と誤診|の既往|など|も(?:考えられ|あり得|ありえ)|の可能性(?:も|[はが]?(?:低|小|乏し|ほとんど))|か[、,。?？]|ではなかった|とは(?:言え|考え)な|なら|であれば|だろうが|であろうが|"
    r"[가이은는] ?아[니닙님]|[은는이가]? ?(?:배제|제외)|[을를] ?(?:배제|제외)|보다|[으로]{1,2} ?오진|의? ?과거력|의? ?병력|"
    r"[와과]의? ?감별|의? ?(?:진단 ?)?기준[을에은]? ?(?:충족하지|충족되지|부합하지|맞지|미달)|"
    r"이?겠지만|의? ?가능성[은이]? ?(?:낮|적|작|희박)|등(?![가-힣]{2})|등[을의도이]|도 (?:생각|가능)|이?었겠지만|이?냐|인지|[이가]? ?아닌"
)
AFTER = re.compile(
    rf"^\W*(?:{_AFTER_WORDS})(?!\w)|^\W{{0,3}}(?:{_AFTER_CJK})|^[\s*_\"'”’)»]*[?？]", re.IGNORECASE
)
"""A mention before one of these is no answer either."""

RESET = re.compile(
    r"(?<!\w)(?:but|however|yet|instead(?! of)|sondern|aber|jedoch|sino|pero|mais|cependant|toutefois|pourtant|en revanche|so aber)(?!\w)(?! for| not)|而是|但|因此|所以|故|"
    r"つまり|しかし|が、|하지만|그러나|지만",
    re.IGNORECASE,
)
"""After one of these a negation before it no longer holds."""

BOUNDARY = re.compile(r"[!?;。！？；\n()（）\[\]【】{}|]|[.](?=\s|$|[^\w\s])|\s[—–-]{1,2}\s|——|…")
"""Ends of a clause."""

JOINED = re.compile(
    r"^[\s,;/、，·*_\-]*(?:and|or|nor|and/or|und|oder|noch|sowie|y|o|e|u|ni|et|ou|un|une|le|les|du|d[’']une?|l[’']|和|或|及|与|與|跟|以及|および|または|と|や|"
    r"과|와|및|그리고|또는|no|not|kein\w*|an?|the|eine?|de|del|un|una|el|la)*"
    r"(?:[\s*_]+(?:an?|the|eine?[mnr]?|un|una|une|el|la|le|du|d[’']une?|l[’']))?[\s*_,]*$",
    re.IGNORECASE,
)
JOINED_BY_WORD = re.compile(
    r"(?<!\w)(?:and|or|nor|und|oder|noch|y|o|e|u|ni|et|ou)(?!\w)|[、和或及与與と과와]|および|または",
    re.IGNORECASE,
)
"""What is between two names of one list."""

CAUSE = re.compile(
    r"[\s,(]*(?:(?:most )?(?:likely|probably|presumably|wahrscheinlich|vermutlich|probablement|probablemente)\s+)?"
    r"(?:due to|secondary to|caused by|resulting from|in the setting of|infolge|aufgrund|durch|bei|due? a|"
    r"causee? par|secondaire a|dans le cadre d[eu’']|debid[oa] a|secundari[oa] a|causad[oa] por)\s*"
    r"(?:[\w-]+\s+){0,3}",
    re.IGNORECASE,
)
"""What is between a diagnosis and its cause, which is no second answer."""

LIKELIEST = re.compile(
    r"\b(?:most (?:likely|probable)|likeliest|final|wahrscheinlichste\w*|m[aá]s probable|plus probable|"
    r"plus vraisemblable|d[eé]finitif|definitiv\w+|definitiva?o?)\b",
    re.IGNORECASE,
)
"""Which diagnosis is meant: the one that is given."""

NO_NAME = re.compile(
    r"(?<!\w)(?:not|no|none|never|unclear|unknown|uncertain|undetermined|difficult|hard|impossible|pending|"
    r"one of|among|either|between|following|below|follows?|these|those|this|it|based|given|needed|required|"
    r"depend\w*|consider\w*|or|and|unklar|unbekannt|nicht|kein\w*|offen|schwer|folgend\w*|oder|und|incert\w*|"
    r"inconnu\w*|pas|aucun\w*|difficile|suivant\w*|ou|et|incierto|desconocid\w+|dif[ií]cil|siguiente\w*|o|y)(?!\w)",
    re.IGNORECASE,
)
"""What a sentence holds that gives no name, or more than one."""

UNFINISHED = re.compile(
    r"(?<!\w)(?:and|or|but|the|an?|of|to|in|with|for|because|that|which|is|are|was|has|as|at|by|from|seems|yet|"
    r"und|oder|der|die|das|ein|eine|mit|weil|dass|ist|y|o|de|la|el|un|una|con|que|es|en|por|para|"
    r"et|ou|le|les|des|du|une|avec|pour|qui|est|dans|car|par|sur)\s*$"
    r"|[,、，:：]\s*$",
    re.IGNORECASE,
)
"""Ends of a text that was cut."""

ET_CETERA = re.compile(r"(?<!\w)etc|等|など|등")
"""After a list: all its names are examples."""

REFUSAL = re.compile(
    r"\b(?:i|we|it)\b[^.!?\n]{0,30}(?:can ?not|can[’']t|unable to|not able to|won[’']t|will not|not (?:qualified|"
    r"comfortable|authori[sz]ed|permitted|allowed|trained)|must decline|decline to|refuse to|shouldn[’']t|should not|"
    r"(?:unethical|inappropriate|irresponsible)|rather not|prefer not to|"
    r"(?:wouldn[’']t|would not|isn[’']t|is not) (?:be )?(?:responsible|appropriate|right|ethical|proper))"
    r"[^.!?\n]{0,40}(?:diagnos\w*|(?:a|any) label\b|psychiatric condition|medical (?:advice|opinion|assessment)|"
    r"clinical (?:advice|opinion|assessment)|assist|help with|answer this)"
    r"|\bnot my place to (?:label|diagnos|name|judge)|\bcan(?:not|[’']t) make that (?:call|judg)"
    r"|\b(?:refrain|abstain) from\b[^.!?\n]{0,30}diagnos"
    r"|\bdiagnosing\b[^.!?\n]{0,60}\b(?:unethical|inappropriate|irresponsible|not appropriate)\b"
    r"|\b(?:unable|not able|can ?not|can[’']t) (?:to )?(?:\w+ly )?(?:tell|say)(?: you)? what (?:is wrong|condition|disorder|illness|it|this)\b"
    r"|\bstelle(?:n)? keine diagnose|\bkann ich (?:hier )?nicht (?:beurteilen|diagnostizieren)\b|\bnicht m[oö]glich, eine[^.!?\n]{0,20}diagnose"
    r"|\bno me (?:corresponde|compete)\b[^.!?\n]{0,20}diagn"
    r"|(?:没有|沒有|无)(?:资格|資格|权限|能力)[^。！？\n]{0,10}(?:诊断|診斷)|診断[^。！？\n]{0,8}資格(?:が|は)(?:ありません|ない)"
    r"|진단[^.!?\n]{0,14}(?:적절하지 않|자격이 없|권한이 없)"
    r"|\b(?:kann|darf|m[oö]chte|werde)\b[^.!?\n]{0,30}\bkeine\w*\b[^.!?\n]{0,25}(?:diagnose|rat|auskunft|einsch[aä]tzung)"
    r"|\bnicht (?:in der lage|befugt|qualifiziert|berechtigt)\b[^.!?\n]{0,30}diagnos"
    r"|\bno (?:puedo|debo|me es posible|estoy (?:capacitad[oa]|autorizad[oa]|en condiciones))\b[^.!?\n]{0,40}"
    r"(?:diagn[oó]stic|consejo m[eé]dico|opini[oó]n m[eé]dica|responder|ayudar)"
    r"|\bje ne (?:peux|puis|suis|dois|saurais|pourrais)\b[^.!?\n]{0,50}(?:diagnosti\w*|avis m[eé]dical|conseils? m[eé]dica\w+)"
    r"|\bil (?:ne )?m[’']est (?:pas possible|impossible)\b[^.!?\n]{0,40}diagnosti"
    r"|(?:无法|不能|不可以|無法|不便)[^。！？\n]{0,12}(?:诊断|診斷|医疗建议|醫療建議|医学建议|回答)"
    r"|(?:診断|医学的(?:な)?(?:助言|判断)|医療(?:的な)?(?:アドバイス|助言))[^。！？\n]{0,12}(?:できません|できかねます|(?:致|いた)しかねます|行えません)"
    r"|(?:진단|의학적 조언|의료 조언|의학적 판단)[^.!?\n]{0,12}(?:수 없|수는 없|못합니다|어렵습니다|불가)",
    re.IGNORECASE,
)
"""A refusal in other words than those of the data file; looked for where no answer is marked."""
