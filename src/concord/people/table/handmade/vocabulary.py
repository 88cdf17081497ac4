"""The words above columns of tables made by hand, in the languages that researchers write them in.

Words are folded: lower case, no accents, ``²`` as ``2``. Where scripts write no blanks between words,
`UNSPACED` lists the words to part.
"""


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


HUMAN_WORDS = _word_set(
    "human humans people person persons participant participants respondents volunteers consumers customers "
    "original published paper subjects "
    "mensch menschen menschlich menschliche personen probanden versuchspersonen vpn teilnehmer teilnehmende "
    "befragte "
    "humano humanos humana humanas pessoas personas participantes sujetos sujeitos encuestados "
    "humain humains humaine humaines participante sujets repondants "
    "umano umani umana umane persone partecipanti soggetti "
    "mensen deelnemers proefpersonen "
    "人間 人类 人類 被験者 参加者 参与者 被试 인간 사람 참가자 참여자 피험자"
)
AGENT_WORDS = _word_set(
    "agent agents model models llm llms ai simulated simulation silicon synthetic bot twin twins "
    "modell modelle ki sprachmodell simuliert simulierte "
    "modelo modelos ia simulado simulados simulada simuladas agente agentes "
    "modele modeles simule simules simulees modello modelli simulati simulato agenti "
    "modellen gesimuleerd モデル 模型 模拟 人工知能 人工智能 모델 모형 인공지능"
)
OF_EITHER = _word_set(
    "participant participants respondents volunteers consumers customers subjects person persons "
    "personen probanden versuchspersonen vpn teilnehmer teilnehmende befragte pessoas personas participantes "
    "sujetos sujeitos encuestados participante sujets repondants persone partecipanti soggetti deelnemers "
    "proefpersonen 被験者 参加者 参与者 被试 참가자 참여자 피험자"
)
"""Words for people that simulations of people are called by, too: "simulated participants"."""
PARTICLES = _word_set("の 的 之 의 은 는")
"""Syllables that only join words."""
FIRST = _word_set(
    "1 one first treatment treated treat experimental intervention exp traitement tratamiento tratamento "
    "trattamento experimentalgruppe"
)
SECOND = _word_set(
    "2 two second control controls comparison placebo ctrl kontrolle kontrollgruppe controle temoin controllo"
)
FIELDS = {
    "study": "study; paper; article; authors; author; studie; publication; reference; citation; source; "
    "author year; authors year; study year; autor; autoren; autor jahr; quelle; estudo; estudio; etude; "
    "studio; artigo; articulo; articolo; autores; autori; auteur; auteurs; 研究; 論文; 论文; 연구; 논문",
    "sub_study": "sub study; substudy; experiment; exp; experimento; esperimento; 実験; 实验; 실험",
    "finding": "finding; effect; hypothesis; phenomenon; befund; claim; hypothese; effekt; efeito; efecto; "
    "effet; effetto; hipotese; hipotesis; ipotesi; 仮説; 假设; 가설; 効果; 效应; 효과",
    "test": "test; outcome; term; measure; dv; dependent variable; contrast; item; variable; question; "
    "messung; metric; predictor; av; abhangige variable; vd; variavel; variavel dependente; "
    "variable dependiente; variable dependante; variabile; variabile dipendente; medida; mesure; misura; "
    "変数; 变量; 변수; 従属変数; 因变量; 종속변수; 종속 변수; 측정; 지표; 문항",
    "test_type": "test type; type of test; statistical test; analysis; type; kind of test; testart; testtyp; "
    "tipo de teste; tipo de prueba; type de test; tipo di test",
    "alpha": "alpha",
    "domain": "domain; area; field; topic; bereich",
    "who": "who; sample; population; respondent; respondents; side; data; stichprobe; amostra; muestra; "
    "echantillon; campione",
    "group": "condition; group; arm; cell; bedingung; gruppe; condicao; condicion; condizione; grupo; "
    "groupe; gruppo; 条件; 조건; 집단; 처치",
    "agent_name": "agent name; model name; llm name; design; config; configuration",
    "any": "result; results; reported; apa; statistics; reported statistic; test result; reported result; "
    "ergebnis; ergebnisse; resultado; resultados; resultat; resultats; risultato; risultati; "
    "結果; 结果; 결과",
    "statistic": "statistic; stat; test statistic; value; test value; teststatistik; estatistica; "
    "estadistico; statistique; statistica",
    "t": "t; t value; t statistic; t test; student t; t wert",
    "F": "f; f value; f statistic; anova f; f wert",
    "r": "r; r 95 % ci; r ci; correlation; pearson r; pearson; korrelation; correlacao; correlacion; "
    "correlazione",
    "chi2": "χ2; chi2; chi square; chi squared; x2; χ; chisq; chi 2; chi quadrat; khi2; khi 2; qui quadrado; "
    "chi cuadrado; chi quadrato",
    "z": "z; z value; z score",
    "U": "u; mann whitney u",
    "b": "estimate; coef; coeff; coefficient; regression coefficient; slope; b se; coef se; coefficient se; "
    "unstandardized b; koeffizient; coeficiente; coefficiente",
    "df": "df; dof; degrees of freedom; fg; freiheitsgrade; gl; ddl",
    "df1": "df1; df 1; df num; numerator df",
    "df2": "df2; df 2; df den; denominator df",
    "n": "n; sample size; n total; total n; size; cases; effectif; tamanho da amostra; tamano muestral",
    "n_each": "n per group; n per cell; n per condition; n per arm; n each; n pro gruppe; n1 n2; "
    "n por grupo; n par groupe; n per gruppo",
    "n1": "n1; n 1",
    "n2": "n2; n 2",
    "mean": "m; mean; average; avg; mittelwert; mw; m sd; mean sd; m sd n; mean sd n; mean ± sd; m ± sd; "
    "m n; m dp; m de; m et; media; media dp; media de; moyenne et; moyenne; moy; promedio; 平均; 평균",
    "mean_se": "m se; mean se; m sem; mean sem; mean ± se; m ± se; mean ± sem; m ± sem",
    "sd": "sd; std; std dev; standard deviation; s; stdev; standardabweichung; dp; ds; desvio padrao; "
    "desviacion estandar; desviacion tipica; ecart type; deviazione standard; de; et; "
    "標準偏差; 标准差; 표준편차",
    "se": "se; sem; std.error; std err; standard error; std error; standardfehler; erro padrao; "
    "error estandar; erreur type; errore standard",
    "count": "count; counts; k; yes; successes; frequency; freq; number; x n; k n; anzahl",
    "percent": "%; percent; pct; percentage; proportion; share; rate; anteil; prozent; porcentagem; "
    "top2box; top 2 box; t2b; top box; porcentaje; pourcentage; percentuale; % yes; % ja; % oui; % si; % sim",
    "p": "p; p value; p.value; sig; significance; pval; p val; p wert; valor p; p valor; valeur p; "
    "signifikanz",
    "d": "d; effect d; d 95 % ci; d ci; cohen d; cohens d; g; hedges g; smd; effect size; effect size d; es; "
    "d cohen; d de cohen; d di cohen; effektstarke; effektgrosse; tamanho do efeito; tamano del efecto; "
    "taille d effet",
    "OR": "or; or 95 % ci; or ci; odds ratio; aor",
    "ci": "ci; 95 ci; 95 % ci; confidence interval; 95 % confidence interval; ki 95; 95 % ki; ic 95; "
    "ic 95 %; 95 % ic",
    "ci_low": "conf.low; ci low; ci lower; lower; ll; lower ci; ci l; lower limit; low; 95 % ci lower; "
    "95 % ci low",
    "ci_high": "conf.high; ci high; ci upper; upper; ul; upper ci; ci u; upper limit; high; "
    "95 % ci upper; 95 % ci high",
    "p0": "p0; null value; chance level",
    "table": "table; contingency table; 2x2",
    "direction": "direction; sign; dir; effect direction; richtung; direcao; direccion; direzione",
}
"""What a column may hold, and the words for it."""
LAST_ONLY = frozenset(["de", "et"])
"""Short forms of the standard deviation that are prepositions too: only at the end of a title."""
SIDE_FILLERS = _word_set("sample samples data study studies replication responses replies results source")
"""Words beside those of a side that say nothing more: "Human sample", "original study"."""
GROUP_WORDS = _word_set(
    "condition group arm cell version frame bedingung gruppe condicao condicion condizione grupo groupe "
    "gruppo"
)
"""Words that say that what is beside them names a group of participants."""
FILLERS = frozenset(["name", "id", "no", "nr", "number", "label", "title", "of", "the", "in"])
UNSPACED = tuple(
    sorted(
        {
            word.strip()
            for words in (HUMAN_WORDS, AGENT_WORDS, *(names.split(";") for names in FIELDS.values()))
            for word in words
            if ord(word.strip()[0]) > 0x2E7F
        },
        key=len,
        reverse=True,
    )
)
"""Words of scripts that write no blanks between words, the longest first."""
