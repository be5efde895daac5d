import type { ErrorRows } from './error-kind.ts';

/** Judges, evaluators, and the observations that a verdict rests on. */
export const verdictErrors = {
  judge: {
    3: {
      JUDGE_UNREADABLE: [
        'the judge did not answer in the requested form',
        'Use a judge model that follows output formats, or try again.',
      ],
      JUDGE_REFUSED: [
        'the judge model refused to answer',
        "Use another judge model, or keep what the provider's filter refuses out of the scenario.",
      ],
      JUDGE_REPLY_CUT: [
        'the answer of the judge was cut off at its length limit',
        'Raise `judge.maxOutputTokens` in the config; models that reason need more.',
      ],
      JUDGE_UNDECIDED: [
        'the judge could not decide, or its evidence is not in the trace',
        'Make the criterion more specific, or use a stronger model.',
      ],
      JUDGE_WAITING: [
        'the judge answers in a batch that is not done',
        'Run `assay run --resume` later to fetch the verdict; batches take up to a day.',
      ],
      NOT_JUDGED: [
        'the judge was not run',
        'Run without --no-judge and without `judgeErrors: ignore` to judge it; the verdict rests on the other assertions.',
      ],
    },
  },
  user: {
    3: {
      NOTHING_ASSERTED: [
        'no assertion gave a verdict, so the trial cannot pass',
        'Add an assertion, such as `passCriteria` or `contains`, or run the judge that was skipped.',
      ],
      TRACE_INCOMPLETE: [
        'spans of a collected trace were refused',
        'Send fewer or smaller spans in one trace, such as one trace for each task.',
      ],
      TRACE_NOT_UNDERSTOOD: [
        'an imported trace has no messages that Assay understands',
        'Export the trace with the `gen_ai` semantic conventions, messages included, or import it in another format.',
      ],
      STATE_UNREADABLE: [
        'the state that an evaluator compares could not be read before the trial began',
        'Read it by hand as the `state` of the evaluator says; a database or folder that the tool creates needs `absent: empty`.',
      ],
      TURN_MISSING: [
        'the conversation ended before the turn that an assertion is about',
        'Raise `maxMessages`, or give the user more to say; the last notice of the trace says why the conversation ended.',
      ],
      NO_REWARD: [
        'the verifier of a task folder gave no reward',
        'Read what the verifier printed; its files are in the `logs` of the trial.',
      ],
      GOLDEN_MISSING: [
        'there is no golden file to compare with, or it cannot be read',
        'Write it with `assay run --update-golden`, then read it and commit it.',
      ],
      PART_NOT_JUDGED: [
        'an expression depends on an evaluator that could not be judged',
        'Fix the evaluator that the message names, or let the rest of the expression decide without it.',
      ],
      GRADER_FAILED: [
        'a command that grades trials failed, took too long, or printed no usable answer',
        'Fix the command; it gets the trial as JSON on stdin, exits with 0 and prints one JSON object.',
      ],
      CODE_FAILED: [
        'JavaScript of a scenario, an assertion or a transform, threw, did not return, or returned no usable value',
        'Fix the code; the message says what happened.',
      ],
    },
  },
  model: {
    3: {
      USER_BROKE_BRIEF: [
        'the simulated user did not keep to its brief, so the trial says nothing about the agent',
        'Let a stronger model play the user, make its brief more precise, or run the trial again with --retry-errors.',
      ],
    },
  },
  target: {
    3: {
      NOT_OBSERVED: [
        'not everything was observed that the verdict would rest on',
        'Let the target report it (such as `reports: [tool-calls]` beside the type of a connector), or assert something that can be observed.',
      ],
    },
  },
  engine: {
    3: {
      EVALUATOR_FAILED: [
        'an evaluator or a plug-in failed while it evaluated a trial',
        'Fix the evaluator; the message says where it failed.',
      ],
    },
  },
} as const satisfies ErrorRows;
