---- MODULE MCOther ----
\* The same actions as MCCounter, declared wrongly in bad.toml.
EXTENDS MCCounter
====
