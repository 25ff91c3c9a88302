"""The question that goes with each relation: it points to what is off, and leaves it to the student to put it right.

What the catalogue says of an exercise in its own words comes first. `{0}` is what a relation names after its colon.
"""

from __future__ import annotations

from collections.abc import Mapping

_QUESTIONS = {
    "mean for sum": "Put the same examples in twice: should your answer double, or stay as it is?",
    "sum for mean": "Put the same examples in twice: should your answer double, or stay as it is?",
    "one example more or less": "Do you divide by the number of examples, or by one less? Which is asked for here?",
    "argument ignored": "Change `{0}` and nothing else: does your answer move? Should it?",
    "mean for sum, negative": "Look at the sign first: what should be positive? Then put the same examples in twice: "
    "should your answer double, or stay as it is?",
    "sum for mean, negative": "Look at the sign first: what should be positive? Then put the same examples in twice: "
    "should your answer double, or stay as it is?",
    "size": "Your numbers are off by just the length of one axis of `{0}`. Which one do you divide by, or count, and "
    "which does the task?",
    "factor of": "Your numbers are off by a factor that `{0}` decides. How often does it enter your formula, and how "
    "often the task's?",
    "off by": "Your numbers differ from the right ones by `{0}` alone, as a term or as a factor. Where does the task "
    "have it, and where have you?",
    "off by a step": "Your numbers differ from the right ones by one term or one factor, which you meet on the way. "
    "Which one is missing, or there too often?",
    "way: negative": "Take `{0}` away from your answer: what is left has the right size. Which way should it lead?",
    "way: mean for sum": "Take `{0}` away from your answer: what is left is the step. If all examples were there "
    "twice, should it double, or stay as it is?",
    "way: sum for mean": "Take `{0}` away from your answer: what is left is the step. If all examples were there "
    "twice, should it double, or stay as it is?",
    "way: mean for sum, negative": "Take `{0}` away from your answer: what is left is the step. Which way should it "
    "lead, and should it grow with the number of examples?",
    "way: factor": "Take `{0}` away from your answer: what is left is the step. It points the right way, but is off "
    "by a factor. Which one?",
    "way: factor of": "Take `{0}` away from your answer: what is left is the step. It points the right way, but is "
    "off by a factor. Which argument sets its length?",
    **{
        f"part ignored: {place} {part}": f"Change only the {place} {part} of `{{0}}`: does your answer move? Should it?"
        for place in ("first", "last")
        for part in ("row", "column", "entry")
    },
    "simple: zero": "With `{0}` = 0 your answer is right. What does `{0}` bring into the formula, and where?",
    "simple: one": "With `{0}` = 1 your answer is right. Where does `{0}` enter the formula, and how?",
    "simple: all zero": "If `{0}` is zero everywhere your answer is right. What does it bring into the formula?",
    "simple: one example": "For a single example your answer is right. What changes when there are several?",
    "reaction: doubled": "Double `{0}`, and nothing else: what should become of the answer? What becomes of yours?",
    "reaction: raised": "Add 1 to every entry of `{0}`: what should become of the answer? What becomes of yours?",
    "reaction: turned": "Turn `{0}` round, true for false: what should become of the answer? What becomes of yours?",
    "law: rows sum to one": "What do your numbers add up to, row by row? What should they?",
    "law: columns sum to one": "What do your numbers add up to, column by column? What should they?",
    "law: sums to one": "What do all your numbers add up to? What should they?",
    "law: an axis sums to one": "Along one axis the right numbers add up to 1, in every line. Which axis is it? And "
    "in yours?",
    "law: rows sum to zero": "In the right answer every row adds up to 0, whatever the data are. Why? And in yours?",
    "law: columns sum to zero": "In the right answer every column adds up to 0, whatever the data are. Why? And in "
    "yours?",
    "law: symmetric": "Exchange rows and columns of your table: is it the same? Should it be?",
    "law: zero or one": "Which values may stand in the answer? Which stand in yours?",
    "law: not negative": "Some of your numbers are negative. Can they be?",
    "law: at most one": "Some of your numbers are larger than 1. Can they be?",
    "law: not positive": "Some of your numbers are positive. Can they be?",
    "law: whole numbers": "Your numbers have digits after the point. What is counted here?",
    "law: rising": "Should your numbers go up from one to the next? Where do they not?",
    "other shape": "How many numbers should come back, and in which shape? How many are there in yours, and what "
    "does each of them stand for?",
    "decided": "You give back 0 or 1, and nothing in between. Is a decision asked for, or how sure one can be?",
    "nearly right": "Your numbers are right to a few digits, but no further. Where do the others get lost: is "
    "something small added, something rounded, or a search ended early?",
    "step": "What you give back also comes up on the way to the right answer. Which step is it, and what comes after "
    "it?",
    "exchanged": "Look at the order of `{0}` in the description. Which of the two do you use where?",
    "complement of": "Say in words what `{0}` is the probability of. Is that what you use it as, or its opposite?",
    "negative of": "With which sign does `{0}` enter your formula? And the task's?",
    "exponential of": "Do you take the exponential of `{0}`? Is what comes in a logarithm?",
    "logarithm of": "Do you take the logarithm of `{0}`? On which scale is what comes in?",
    "square of": "How often does `{0}` enter your answer? How often should it?",
    "double of": "Is `{0}` in your formula once, or twice? Is a factor of 2 missing somewhere?",
    "half of": "Is `{0}` in your formula once, or twice? Is a factor of 2 missing somewhere?",
    "root of": "In which unit is `{0}` measured: that of the data, or its square? Which one do you use?",
    "shares of": "Do you make `{0}` add up to 1? Does the task ask for that?",
    "opposite of": "What does it mean that an entry of `{0}` is 1 or true? Which entries does your code take?",
    "plus and minus for": "Which two values stand in `{0}` for the two classes? Which two does your code count on?",
    "transpose of": "What is a row of `{0}`, and what a column? Which of them does your code go along?",
    "all but the first of": "What has the first entry of `{0}` to do with your answer? Where does it enter?",
    "answers another": "This is what `{0}` answers. What does this exercise ask for instead?",
    "slip: sign": "You are close. Go through your formula term by term: does every sign agree with the task's?",
    "slip: operation": "You are close. What is added, what multiplied, what divided? Compare with the task.",
    "slip: term": "You are close. Compare your formula with the task's, term by term and factor by factor.",
    "slip: comparison": "You are close. What should happen exactly where your comparison changes its mind?",
    "slip: constant": "You are close. Is one of your numbers, an index or a count, off by one?",
    "slip: order": "You are close. Look at a function that you call with several arguments: is their order right?",
    "slip: case": "You are close. Which case does the task treat apart from the others? Where does your code do that?",
    "slip: range": "You are close. Which entries do you take along? Is one too many, or one too few?",
    "slip: axis": "You are close. Along which axis do you go, and which shape is left over? Try a table of 2 by 3.",
    "slip": "You are close: one small thing differs. Work one case of two numbers by hand, line by line. Where does "
    "your code part from you?",
    "constant added": "All your numbers are off by the same amount. Which term do they have in common?",
    "constant added to rows": "In each row your numbers are off by one and the same amount. Which term depends on "
    "the row only?",
    "constant added to columns": "In each column your numbers are off by one and the same amount. Which term depends "
    "on the column only?",
    "common factor": "Your numbers are right in proportion. What should they be measured against?",
    "factor per row": "In each row your numbers are right in proportion. What belongs to the row as a whole?",
    "factor per column": "In each column your numbers are right in proportion. What belongs to the column as a whole?",
    "first entry": "All entries but the first are right. What makes the first one special?",
    "last entry": "All entries but the last are right. What makes the last one special?",
    "all but the first": "Only the first entry is right. What is different about all the others?",
    "first column": "All columns but the first are right. What makes the first one special?",
    "last column": "All columns but the last are right. What makes the last one special?",
    "later entries": "You begin with the right numbers. Which is the first one that is wrong, and what is new there?",
    "diagonal": "What stands off the diagonal is right. What is different about the diagonal?",
    "off the diagonal": "Only the diagonal is right. How do two different features meet in the other places?",
    "one part": "All that you give back is right but for one part ({0}). What is asked for there?",
    "parts exchanged": "You give back the right things, but in another order. Which one comes first?",
    "another part": "What you give here belongs elsewhere: it is right as `{0}`. What is asked for in this place?",
    "not a number": "Some of your numbers are nan or infinite. Which step makes the first of them: 0/0, or log(0)?",
    "nothing returned": "Does your function end in `return` with a value?",
    "other form": "What does the description say comes back: one number, an array, several values? What do you return?",
    "stops": "For many arguments your function stops with an error. Read the last line of its message, and the line "
    "of yours that it names: what does that line count on?",
    "stops sometimes": "For some arguments your answer is right, and for others your function stops with an error. "
    "Which sizes, shapes or types does it count on?",
    "shape": "The numbers are right. Which shape does the description promise, and which one has your answer?",
    "type": "The numbers are right. Of which type should they be: whole, with a point, or true and false?",
    "accepts too much": "Which arguments does the description call an error? What does your function make of them?",
    "another error": "Which kind of error does the description ask for? Which one comes from your function?",
    "changes its arguments": "Call your function twice with the same `{0}`. Is it the same before the second call?",
    "slow": "How many times does Python go through your loop for a large table? What could NumPy do in one go?",
    "except: a list": "With arrays your answer is right. What does your code do with a list of the same numbers?",
    "except: an array": "For one number your answer is right. Which line of yours takes one number only?",
    "except: one number": "For arrays your answer is right. What does your code do with a single number?",
    "except: nothing": "Where something is given your answer is right. What if `{0}` is empty?",
    "except: one entry": "What does your code do where `{0}` has one entry only? Work such a case by hand.",
    "except: whole numbers": "What becomes of whole numbers in `{0}`? Of which type is what you calculate with?",
    "except: zeros": "What happens in your code where `{0}` has a zero? Work such a case by hand.",
    "except: ties": "What does your code do where two values of `{0}` are equal? Work such a case by hand.",
    "except: large numbers": "Which step of yours fails where `{0}` is very large?",
    "except: small numbers": "Which step of yours fails where `{0}` is very small?",
    "except: infinity": "What does your code do with infinity in `{0}`? What should it?",
    "except: shares that do not add up": "What becomes of `{0}` in your code where it does not add up to 1?",
    "except: more axes": "Which axis of `{0}` do you mean where it has more than two of them?",
    "except: given": "Without `{0}` your answer is right. What changes when it is given?",
    "except: not given": "With `{0}` your answer is right. What should happen when it is not given?",
    "except: refused": "You refuse something that the description allows. What is it?",
    "except: edge case": "Work out by hand what should come of the special case that the failed check describes: "
    "what does your code do there?",
    "except: stability": "The failed check describes very large or very small numbers. What does the task ask for "
    "there, and what do your steps make of them, one by one?",
    "except: other sizes and shapes": "Work out by hand what should come of the case that the failed check "
    "describes: what does your code do there?",
    "except: type": "Work out by hand what should come of the case that the failed check describes: what does your "
    "code do there?",
}


def question(
    exercise: str, relation: str, own: Mapping[tuple[str, str], str], general: Mapping[str, str], *, part: str = ""
) -> str | None:
    """The question about a relation, in the words of the exercise if there are any; None if there is none.

    `own` are the catalogue's words, `general` those of the relations that two values alone can show. `part` is what the
    relation is true of, where a function gives back several values.
    """
    kind, _, named = relation.partition(": ")
    for key in (relation, kind):
        if (exercise, key) in own:
            return own[exercise, key]
        words = _QUESTIONS.get(key) or general.get(key)
        if words:
            return _about(part) + words.format(named.replace(", ", "` and `"))
    # "except: zeros: prior" names a class of inputs, and the argument that it is about.
    place, _, argument = named.partition(": ")
    words = _QUESTIONS.get(f"{kind}: {place}")
    return _about(part) + words.format(argument) if words else None


_PLACES = ("first", "second", "third", "fourth", "fifth")


def _about(part: str) -> str:
    """A sentence that points to one of the values that a function gives back."""
    if part.isdecimal() and int(part) <= len(_PLACES):
        return f"Look at the {_PLACES[int(part) - 1]} value that you give back. "
    return f"Look at `{part}` in what you give back. " if part else ""
