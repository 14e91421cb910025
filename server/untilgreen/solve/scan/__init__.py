"""Looking for signs in syntax trees: what a patch adds that needs eyes. Pure: nothing is ever executed.

`findings.py`, one floor up, asks for the signs of the old and of the new text, and keeps those that are new.

What things are:
    sign            one sign: a rule, a line, a few words
    names           what a name stands for, from its import on
    constants       what an expression always is
    literals        when two values are the same, and which of them everybody knows
    given           which local names hold what a caller gave, a path, something temporary
    counters        which names count calls
    unchanged       functions that are the same before and after
    tables          names that are a sign by themselves

Signs by themselves, gathered in one walk through a tree:
    signs           the walk, and all that a name alone can tell
    place           where the walk stands, and what names mean there
    mentions        where something is only named
    calls, files    what is called, and which files it reads, lists, imports or writes
    tampering       what belongs to others and is changed
    witnesses       where it shows that tests are running
    decisions       what an answer depends on, other than on what is asked
    shapes, classes handlers that hide errors, and objects that compare in their own way

Signs that only the tests make one:
    examples        what tests ask and expect
    pins            conditions that only literals meet
    cases           asked with this literal, it answers with that one
    special_cases   cases that tests ask for
    data_rows       the same in files of data
    pinned          numbers of the tests that are treated in a way of their own
    constant_functions  answers that do not depend on what is asked
    equality        classes whose objects are equal more often than before
"""
