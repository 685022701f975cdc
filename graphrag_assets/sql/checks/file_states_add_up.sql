-- on: documents
-- blocking: yes
-- Every file has a known state, and the documents it says it has.
SELECT path, status, n_documents, count(d.id) AS documents
FROM files LEFT JOIN documents d USING (path)
GROUP BY ALL
HAVING n_documents <> documents
    OR (status IN ('indexed', 'duplicate')) <> (n_documents > 0)
    OR status NOT IN
       ('indexed', 'empty', 'duplicate', 'needs_ocr', 'unreadable', 'unsupported', 'failed')
