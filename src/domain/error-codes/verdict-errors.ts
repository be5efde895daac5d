import type { ErrorKind } from './error-kind.ts';

/** Judges, evaluators, and the observations that a verdict rests on. */
export const verdictErrors = {
  JUDGE_UNREADABLE: {
    meaning: 'the judge did not answer in the requested form',
    blame: 'judge',
    exitCode: 3,
    hint: 'Use a judge model that follows output formats, or try again.',
  },
  JUDGE_REFUSED: {
    meaning: 'the judge model refused to answer',
    blame: 'judge',
    exitCode: 3,
    hint: "Use another judge model, or keep what the provider's filter refuses out of the scenario.",
  },
  JUDGE_REPLY_CUT: {
    meaning: 'the answer of the judge was cut off at its length limit',
    blame: 'judge',
    exitCode: 3,
    hint: 'Raise `judge.maxOutputTokens` in the config; models that reason need more.',
  },
  JUDGE_UNDECIDED: {
    meaning: 'the judge could not decide, or its evidence is not in the trace',
    blame: 'judge',
    exitCode: 3,
    hint: 'Make the criterion more specific, or use a stronger model.',
  },
  JUDGE_WAITING: {
    meaning: 'the judge answers in a batch that is not done',
    blame: 'judge',
    exitCode: 3,
    hint: 'Run `assay run --resume` later to fetch the verdict; batches take up to a day.',
  },
  NOT_JUDGED: {
    meaning: 'the judge was not run',
    blame: 'judge',
    exitCode: 3,
    hint: 'Run without --no-judge and without `judgeErrors: ignore` to judge it; the verdict rests on the other assertions.',
  },
  NOTHING_ASSERTED: {
    meaning: 'no assertion gave a verdict, so the trial cannot pass',
    blame: 'user',
    exitCode: 3,
    hint: 'Add an assertion, such as `passCriteria` or `contains`, or run the judge that was skipped.',
  },
  USER_BROKE_BRIEF: {
    meaning: 'the simulated user did not keep to its brief, so the trial says nothing about the agent',
    blame: 'model',
    exitCode: 3,
    hint: 'Let a stronger model play the user, make its brief more precise, or run the trial again with --retry-errors.',
  },
  NOT_OBSERVED: {
    meaning: 'not everything was observed that the verdict would rest on',
    blame: 'target',
    exitCode: 3,
    hint: 'Let the target report it (such as `reports: [tool-calls]` beside the type of a connector), or assert something that can be observed.',
  },
  TRACE_INCOMPLETE: {
    meaning: 'spans of a collected trace were refused',
    blame: 'user',
    exitCode: 3,
    hint: 'Send fewer or smaller spans in one trace, such as one trace for each task.',
  },
  TRACE_NOT_UNDERSTOOD: {
    meaning: 'an imported trace has no messages that Assay understands',
    blame: 'user',
    exitCode: 3,
    hint: 'Export the trace with the `gen_ai` semantic conventions, messages included, or import it in another format.',
  },
  TURN_MISSING: {
    meaning: 'the conversation ended before the turn that an assertion is about',
    blame: 'user',
    exitCode: 3,
    hint: 'Raise `maxMessages`, or give the user more to say; the last notice of the trace says why the conversation ended.',
  },
  NO_REWARD: {
    meaning: 'the verifier of a task folder gave no reward',
    blame: 'user',
    exitCode: 3,
    hint: 'Read what the verifier printed; its files are in the `logs` of the trial.',
  },
  GOLDEN_MISSING: {
    meaning: 'there is no golden file to compare with, or it cannot be read',
    blame: 'user',
    exitCode: 3,
    hint: 'Write it with `assay run --update-golden`, then read it and commit it.',
  },
  PART_NOT_JUDGED: {
    meaning: 'an expression depends on an evaluator that could not be judged',
    blame: 'user',
    exitCode: 3,
    hint: 'Fix the evaluator that the message names, or let the rest of the expression decide without it.',
  },
  GRADER_FAILED: {
    meaning: 'a command that grades trials failed, took too long, or printed no usable answer',
    blame: 'user',
    exitCode: 3,
    hint: 'Fix the command; it gets the trial as JSON on stdin, exits with 0 and prints one JSON object.',
  },
  CODE_FAILED: {
    meaning:
      'JavaScript of a scenario, an assertion or a transform, threw, did not return, or returned no usable value',
    blame: 'user',
    exitCode: 3,
    hint: 'Fix the code; the message says what happened.',
  },
  EVALUATOR_FAILED: {
    meaning: 'an evaluator or a plug-in failed while it evaluated a trial',
    blame: 'engine',
    exitCode: 3,
    hint: 'Fix the evaluator; the message says where it failed.',
  },
} as const satisfies Record<string, ErrorKind>;
