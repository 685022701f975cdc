"""The words that models use for our fields, in the languages that they use them in.

A model that answers in the language of a text may translate the keys, too, and every model has
habits of its own: head and tail, subject and object. A word stands for the first of its fields
that the reply at hand has.
"""

import re
from collections.abc import Container
from typing import Final

WORDS: Final[dict[tuple[str, ...], str]] = {
    ("entities", "name"): "entity node 实体 實體 entität entité entidad",
    ("entities",): "nodes vertices 实体列表 實體列表 节点 entitäten entités entidades",
    (
        "relationships",
        "description",
    ): """relation relationship edge link 关系 關係 beziehung relación
        predicate label 谓词 謂詞""",
    ("relationships",): """relations edges links connections triples triplets 关系列表 關係列表
        beziehungen relaciones""",
    ("claims",): "covariates 声明 声明列表 主张 事实 聲明 behauptungen afirmaciones",
    ("name",): "名称 名字 姓名 名稱 nom nombre",
    ("title", "name", "summary"): "title headline heading 标题 標題 titel titre título",
    ("type",): "category kind class 类型 類型 种类 種類 类别 類別 typ art tipo",
    ("description", "explanation", "answer", "summary"): """description desc 描述 说明 說明
        beschreibung descripción""",
    ("explanation", "description", "answer"): """explanation detail details 解释 解釋 详情 詳情
        erklärung erläuterung explication explicación""",
    ("summary", "description"): """summary abstract executive_summary finding insight 摘要 总结 概述
        總結 概要 zusammenfassung résumé resumen""",
    (
        "findings",
        "points",
    ): """findings insights key_findings key_insights detailed_findings 发现 發現
        要点 要點 见解 主要发现 erkenntnisse befunde constats hallazgos""",
    ("points", "answer"): "point answers 观点 觀點",
    ("answer",): "response text 回答 答案 antwort réponse respuesta",
    ("source",): """source_entity entity1 entity_1 node1 src src_id source_id from from_entity head
        subject 源 来源 來源 起点 源头 头实体 主体 主语 quelle subjekt origen sujet sujeto""",
    ("target",): """target_entity entity2 entity_2 node2 tgt dst tgt_id target_id to to_entity tail
        object 目标 目標 终点 終點 尾实体 客体 宾语 ziel objekt cible destino objet objeto""",
    ("subject",): "主体 主體 主语 subjekt sujet sujeto",
    ("object",): "客体 客體 宾语 objekt objet objeto",
    (
        "weight",
    ): """strength importance 权重 權重 强度 強度 gewicht stärke poids peso fuerza force""",
    (
        "rating",
        "score",
        "weight",
    ): """score impact_severity_rating severity impact 评分 評分 评级 評級
        分数 分數 得分 bewertung note puntuación calificación""",
    ("score", "rating", "weight"): "rating relevance relevancy",
    ("rating_explanation", "reason"): """rating_reason reason_for_rating justification rationale
        评分说明 评级说明 评分解释 评级解释 評分說明 評級說明 bewertungserklärung""",
    ("reason", "explanation", "rating_explanation"): "reason reasoning 理由 原因 grund begründung",
    ("question",): "query 问题 問題 frage pregunta",
    ("follow_ups", "questions"): """questions queries follow_up follow_up_queries
        follow_up_questions 后续问题 後續問題 fragen preguntas""",
    ("quote",): "source_text citation quotation evidence 引文 引用 原文 zitat cita",
    ("status",): "claim_status 状态 狀態 statut estado",
}
CANDIDATES: Final = {word: fields for fields, words in WORDS.items() for word in words.split()}
WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # of camelCase
OWNER: Final = re.compile(
    r"^(?:(?:entity|node|relation|relationship|edge|claim|finding|report|point)_"
    r"|(?:实体|實體|关系|關係|节点|发现|报告)(?=.))"
)
OWNED: Final = re.compile(r"(?:_name|_list|实体|實體|节点|名称|名稱|列表)$")


def known_name(key: str, names: Container[str]) -> str | None:
    """Return the field that a key means, whatever its language, case, separators and owner."""
    if key in names:
        return key
    plain = re.sub(r"[\s\-_]+", "_", WORD_STARTS.sub("_", key.strip())).lower()
    for said in (plain, OWNER.sub("", plain), OWNED.sub("", plain)):
        for name in (said, *CANDIDATES.get(said, ())):
            if name in names:
                return name
    return None
