"""`tasuki cc`: C with directives (XcalableMP, XcalableACC, OpenACC) becomes C that calls the run time.

    source --preprocess--> text --tokens--> --parse--> tree --meaning--> --rewrite--> text for the user's
    compiler

`driver` does it for a command line. `preprocess`, `tokens`, `parse` and `types` know C and no dialect.
"""
