/** Who has to act on an error: the person who wrote the files, or one of the parts that took part in the trial. */
export type Blame = 'user' | 'target' | 'agent' | 'model' | 'judge' | 'store' | 'engine';

interface ErrorKind {
  readonly blame: Blame;
  /** Exit code of the command when this ends it, or when a trial ends with it and nothing worse happened. */
  readonly exitCode: 2 | 3;
  readonly hint: string;
}

/** Every way in which something can go wrong that is neither a pass nor a fail. */
export const errorTable = {
  USAGE: { blame: 'user', exitCode: 2, hint: 'Run the command with --help to see what it takes.' },
  FILE_NOT_FOUND: { blame: 'user', exitCode: 2, hint: 'Check the path; it is read relative to the current folder.' },
  FILE_INVALID: { blame: 'user', exitCode: 2, hint: 'Correct the file, then check it with `assay validate`.' },
  CONFIG_INVALID: {
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the config file; `assay schema config` prints its schema.',
  },
  NOTHING_TO_RUN: { blame: 'user', exitCode: 2, hint: 'List what there is with `assay scenarios`.' },
  NOT_FOUND: { blame: 'user', exitCode: 2, hint: 'List the stored runs with `assay runs`.' },
  RUN_CHANGED: { blame: 'user', exitCode: 2, hint: 'Start a new run, or put the files back as they were.' },
  CRITERION_UNUSABLE: { blame: 'user', exitCode: 2, hint: 'Correct the criterion; it says nothing about the tool.' },
  TARGET_NOT_LOADED: {
    blame: 'user',
    exitCode: 2,
    hint: 'Check the `call` of the scenario: the module or program must exist and load.',
  },
  TARGET_TIMEOUT: { blame: 'target', exitCode: 3, hint: 'Raise `timeoutSecs`, or find out why the tool is slow.' },
  TARGET_CRASHED: {
    blame: 'target',
    exitCode: 3,
    hint: 'The tool ended without an answer; its output is in the trace.',
  },
  TARGET_UNREACHABLE: { blame: 'target', exitCode: 3, hint: 'Check that the endpoint runs and that the URL is right.' },
  TARGET_OUTPUT_NOT_JSON: {
    blame: 'target',
    exitCode: 3,
    hint: 'The tool must answer with one JSON value; log to stderr instead.',
  },
  TARGET_OUTPUT_TOO_LARGE: {
    blame: 'target',
    exitCode: 3,
    hint: 'Make the answer smaller: the limit keeps one tool from taking all memory.',
  },
  TARGET_STOPPED: {
    blame: 'target',
    exitCode: 3,
    hint: 'Another case blocked the shared module; fix that case, or run with --concurrency 1.',
  },
  MCP_SERVER_NOT_STARTED: {
    blame: 'target',
    exitCode: 3,
    hint: 'Start the server by hand with the same command; what it printed to stderr is in the message.',
  },
  MCP_SERVER_UNREACHABLE: {
    blame: 'target',
    exitCode: 3,
    hint: 'Check that the server runs, that the URL is right and that it speaks this transport.',
  },
  MCP_SERVER_REFUSED: { blame: 'user', exitCode: 3, hint: 'Check the `headers` of the server: it wants a valid key.' },
  MCP_SERVER_DIED: {
    blame: 'target',
    exitCode: 3,
    hint: 'The server ended while it was needed; the last lines of its stderr are in the message.',
  },
  MCP_SERVER_TIMEOUT: {
    blame: 'target',
    exitCode: 3,
    hint: 'Raise `timeout`, or find out why the server does not answer.',
  },
  MCP_PROTOCOL_VIOLATED: {
    blame: 'target',
    exitCode: 3,
    hint: 'The server broke the protocol; `assay mcp-check` shows what else it does wrong.',
  },
  MCP_TOOLS_CHANGED: {
    blame: 'target',
    exitCode: 3,
    hint: 'The tools of the server changed during the run: what was seen before and after cannot be compared.',
  },
  MCP_FEATURE_ABSENT: {
    blame: 'target',
    exitCode: 3,
    hint: 'The server does not have what the test is about: remove the test, or add the feature to the server.',
  },
  MCP_UNSUPPORTED: {
    blame: 'engine',
    exitCode: 3,
    hint: 'The server may be right: this version of Assay cannot test it. Update Assay, or remove the test.',
  },
  AGENT_UNKNOWN: { blame: 'user', exitCode: 2, hint: 'List the agents with `assay agents`.' },
  AGENT_MISSING: { blame: 'user', exitCode: 3, hint: 'Install the agent; `assay agents` tells how.' },
  AGENT_TOO_OLD: { blame: 'user', exitCode: 3, hint: 'Update the agent.' },
  AGENT_NO_KEY: { blame: 'user', exitCode: 3, hint: 'Set the key that the agent needs in the environment.' },
  AGENT_CRASHED: { blame: 'agent', exitCode: 3, hint: 'What the agent printed is in transcript.raw.txt.' },
  AGENT_FAILED: { blame: 'agent', exitCode: 3, hint: 'What the agent printed is in transcript.raw.txt.' },
  NOTHING_PROVEN: {
    blame: 'user',
    exitCode: 2,
    hint: 'Add a gate that fails until the work is done; `assay validate --prove` lists the gates that hold already.',
  },
  HEALTH_CHECK_FAILED: {
    blame: 'target',
    exitCode: 3,
    hint: 'Make the `health_check` command of the scenario succeed by hand first.',
  },
  WORKSPACE_FAILED: { blame: 'engine', exitCode: 3, hint: 'Check that the folder of artifacts can be written.' },
  ISOLATION_UNAVAILABLE: {
    blame: 'user',
    exitCode: 2,
    hint: 'Choose another isolation; `assay doctor` tells which work here.',
  },
  MODEL_UNKNOWN: {
    blame: 'user',
    exitCode: 2,
    hint: 'Name a model as provider/model, such as openai/gpt-4o-mini.',
  },
  MODEL_NO_KEY: { blame: 'user', exitCode: 3, hint: 'Set the key in the environment or in the config.' },
  MODEL_NOT_NAMED: { blame: 'user', exitCode: 3, hint: 'Name a model in the scenario or in the config.' },
  MODEL_UNAUTHORIZED: { blame: 'model', exitCode: 3, hint: 'The provider refused the key; check it.' },
  MODEL_QUOTA: { blame: 'model', exitCode: 3, hint: 'The account has no quota left; nothing is tried again.' },
  MODEL_RATE_LIMITED: { blame: 'model', exitCode: 3, hint: 'Lower the concurrency or the rate for this provider.' },
  MODEL_UNAVAILABLE: {
    blame: 'model',
    exitCode: 3,
    hint: 'The provider did not answer; run these trials again with --retry-errors.',
  },
  MODEL_TIMEOUT: {
    blame: 'model',
    exitCode: 3,
    hint: 'The provider took too long; raise the time limit of the model.',
  },
  MODEL_BAD_REQUEST: { blame: 'model', exitCode: 3, hint: 'The provider refused the request; its message says why.' },
  MODEL_BAD_REPLY: { blame: 'model', exitCode: 3, hint: 'The provider answered with something that is no reply.' },
  MODEL_BUDGET_REACHED: { blame: 'user', exitCode: 3, hint: 'Raise --max-usd, or ask a cheaper model.' },
  MODEL_NO_PRICE: {
    blame: 'user',
    exitCode: 2,
    hint: 'Set a price under `models.prices` in the config, or run without --max-usd.',
  },
  REPLAY_MISS: { blame: 'user', exitCode: 3, hint: 'Record again with --record, or put back what changed.' },
  REPLAY_UNREADABLE: {
    blame: 'user',
    exitCode: 2,
    hint: 'Delete the recording and record it again with --record.',
  },
  REPLAY_UNWRITABLE: {
    blame: 'user',
    exitCode: 3,
    hint: 'Check that the folder of recordings can be written.',
  },
  JUDGE_UNREADABLE: { blame: 'judge', exitCode: 3, hint: 'The judge did not answer in the form it was asked for.' },
  JUDGE_REFUSED: {
    blame: 'judge',
    exitCode: 3,
    hint: "Use another judge model, or keep what the provider's filter refuses out of the scenario.",
  },
  JUDGE_REPLY_CUT: {
    blame: 'judge',
    exitCode: 3,
    hint: 'Raise `judge.maxOutputTokens` in the config; models that reason need more.',
  },
  JUDGE_UNDECIDED: {
    blame: 'judge',
    exitCode: 3,
    hint: 'Make the criterion more specific, or use a stronger model.',
  },
  NOT_JUDGED: {
    blame: 'judge',
    exitCode: 3,
    hint: 'The verdict rests on the other assertions. Run without --no-judge and `judgeErrors: ignore` to judge it.',
  },
  NOTHING_ASSERTED: {
    blame: 'user',
    exitCode: 3,
    hint: 'Add an assertion, such as `passCriteria` or `contains`, or run the judge that was skipped.',
  },
  OUTPUT_UNWRITABLE: {
    blame: 'user',
    exitCode: 3,
    hint: 'Make room on the disk, or write to another place; nothing is wrong with what was run.',
  },
  NOT_OBSERVED: {
    blame: 'target',
    exitCode: 3,
    hint: 'Let the target report what the assertion looks at, or leave the assertion out.',
  },
  TRACE_NOT_UNDERSTOOD: {
    blame: 'user',
    exitCode: 3,
    hint: 'Export the trace with the `gen_ai` semantic conventions, messages included, or import it in another format.',
  },
  NOT_REPORTED: {
    blame: 'user',
    exitCode: 3,
    hint: 'If it does report them, declare it: `reports: [tool-calls]` beside the type of the connector. Otherwise assert something that can be observed.',
  },
  EVALUATOR_FAILED: { blame: 'engine', exitCode: 3, hint: 'The evaluator itself failed; its message says where.' },
  TRIAL_SET_ASIDE: {
    blame: 'target',
    exitCode: 3,
    hint: 'Run it alone with `assay run --scenario <name>` and see what it does to the machine: memory, disk, kill.',
  },
  RUN_LIVE: { blame: 'user', exitCode: 2, hint: 'Wait until it ends, or stop it there.' },
  RUN_TAKEN_OVER: { blame: 'user', exitCode: 3, hint: 'See how it goes on with `assay show <run>`.' },
  INTERRUPTED: { blame: 'user', exitCode: 3, hint: 'Continue with `assay run --resume <run>`.' },
  STORE_UNAVAILABLE: {
    blame: 'store',
    exitCode: 3,
    hint: 'Check that the store can be opened and written; `assay doctor` tells.',
  },
  STORE_NEWER: { blame: 'store', exitCode: 2, hint: 'Update Assay, or name another store with --store.' },
  STORE_CORRUPT: {
    blame: 'store',
    exitCode: 3,
    hint: 'The stored bytes changed after they were written; restore the store from a copy.',
  },
  BUNDLE_REFUSED: {
    blame: 'user',
    exitCode: 2,
    hint: 'Leave such files out with `bundle.exclude` in the config; secrets belong into the environment of the workers.',
  },
  INTERNAL: {
    blame: 'engine',
    exitCode: 3,
    hint: 'This is a defect of Assay: please report it with the output of --debug.',
  },
} as const satisfies Record<string, ErrorKind>;

/** A code of the closed error table. */
export type ErrorCode = keyof typeof errorTable;

/** A place in a user's file, counted from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface AssayErrorOptions {
  readonly hint?: string | undefined;
  readonly at?: FilePosition | undefined;
  readonly cause?: unknown;
}

/** The one error class: a code of the table, what happened, where, and what to do. */
export class AssayError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly at: FilePosition | undefined;

  constructor(code: ErrorCode, message: string, options: AssayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AssayError';
    this.code = code;
    this.hint = options.hint ?? errorTable[code].hint;
    this.at = options.at;
  }

  get blame(): Blame {
    return errorTable[this.code].blame;
  }

  get exitCode(): 2 | 3 {
    return errorTable[this.code].exitCode;
  }
}

/** Any thrown value as an AssayError; what we did not foresee becomes INTERNAL. */
export function asAssayError(thrown: unknown, code: ErrorCode = 'INTERNAL'): AssayError {
  if (thrown instanceof AssayError) return thrown;
  return new AssayError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** `file:line:column`, the form that terminals and editors make clickable. */
export function formatPosition(at: FilePosition): string {
  return `${at.file}:${at.line}:${at.column}`;
}
