(rule_set (selectors) @name) @definition
(media_statement) @definition @name
(keyframes_statement (keyframes_name) @name) @definition
