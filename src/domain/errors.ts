/** Who has to act on an error: the person who wrote the files, or one of the parts that took part in the trial. */
export type FaultSource = 'user' | 'target' | 'agent' | 'model' | 'judge' | 'store' | 'engine';

interface ErrorKind {
  /** Describes the error in one clause. */
  readonly meaning: string;
  readonly blame: FaultSource;
  /** Exit code of the command when this ends it, or when a trial ends with it and nothing worse happened. */
  readonly exitCode: 2 | 3;
  readonly hint: string;
}

/** Every way in which something can go wrong that is neither a pass nor a fail. */
export const errorTable = {
  USAGE: {
    meaning: 'the command was called with a wrong argument or option',
    blame: 'user',
    exitCode: 2,
    hint: 'Run the command with --help to see its arguments and options.',
  },
  FILE_NOT_FOUND: {
    meaning: 'a named file or folder does not exist',
    blame: 'user',
    exitCode: 2,
    hint: 'Check the path; it is read relative to the current folder.',
  },
  FILE_INVALID: {
    meaning: 'a file does not have the required format',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the file, then check it with `assay validate`.',
  },
  CONFIG_INVALID: {
    meaning: 'the config file of the project has a problem',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the config file; `assay schema config` prints its schema.',
  },
  NOTHING_TO_RUN: {
    meaning: 'no scenario matches the request',
    blame: 'user',
    exitCode: 2,
    hint: 'List the scenarios with `assay scenarios`.',
  },
  NOT_FOUND: {
    meaning: 'no stored run, trial or part has this name',
    blame: 'user',
    exitCode: 2,
    hint: 'List the stored runs with `assay runs`.',
  },
  RUN_CHANGED: {
    meaning: 'files changed since the run to resume was started',
    blame: 'user',
    exitCode: 2,
    hint: 'Start a new run, or restore the files.',
  },
  CRITERION_UNUSABLE: {
    meaning: 'a criterion cannot be evaluated on the data of a trial',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the criterion; the tool is not at fault.',
  },
  TARGET_NOT_LOADED: {
    meaning: 'the module or program under test does not exist or does not load',
    blame: 'user',
    exitCode: 2,
    hint: 'Check the `call` of the scenario: the module or program must exist and load.',
  },
  TARGET_TIMEOUT: {
    meaning: 'the tool did not answer within the time limit of the trial',
    blame: 'target',
    exitCode: 3,
    hint: 'Raise `timeoutSecs`, or find out why the tool is slow.',
  },
  TARGET_CRASHED: {
    meaning: 'the tool ended without an answer',
    blame: 'target',
    exitCode: 3,
    hint: 'Read the output of the tool in the trace to see why it ended.',
  },
  TARGET_UNREACHABLE: {
    meaning: 'the endpoint under test could not be reached',
    blame: 'target',
    exitCode: 3,
    hint: 'Check that the endpoint is running and that the URL is correct.',
  },
  TARGET_OUTPUT_NOT_JSON: {
    meaning: 'the answer of the tool is not JSON',
    blame: 'target',
    exitCode: 3,
    hint: 'Let the tool answer with one JSON value and nothing else; log to stderr.',
  },
  TARGET_OUTPUT_TOO_LARGE: {
    meaning: 'the answer of the tool is larger than the limit',
    blame: 'target',
    exitCode: 3,
    hint: 'Make the answer smaller: the limit keeps one tool from taking all memory.',
  },
  TARGET_STOPPED: {
    meaning: 'the module under test was stopped because another case blocked its thread',
    blame: 'target',
    exitCode: 3,
    hint: 'Fix the case that blocked the shared module, or run with --concurrency 1.',
  },
  MCP_SERVER_NOT_STARTED: {
    meaning: 'the MCP server could not be started',
    blame: 'target',
    exitCode: 3,
    hint: 'Start the server by hand with the same command; the message contains its stderr.',
  },
  MCP_SERVER_UNREACHABLE: {
    meaning: 'the MCP server could not be reached at its URL',
    blame: 'target',
    exitCode: 3,
    hint: 'Check that the server is running, that the URL is correct and that it supports this transport.',
  },
  MCP_SERVER_REFUSED: {
    meaning: 'the MCP server refused the connection or the key',
    blame: 'user',
    exitCode: 3,
    hint: 'Check the `headers` of the server: it requires a valid key.',
  },
  MCP_SERVER_DIED: {
    meaning: 'the MCP server ended while it was needed',
    blame: 'target',
    exitCode: 3,
    hint: 'Read the last lines of its stderr in the message to see why the server ended.',
  },
  MCP_SERVER_TIMEOUT: {
    meaning: 'the MCP server did not answer within the time limit',
    blame: 'target',
    exitCode: 3,
    hint: 'Raise `timeout`, or find out why the server does not answer.',
  },
  MCP_PROTOCOL_VIOLATED: {
    meaning: 'the MCP server sent a message that the protocol does not allow',
    blame: 'target',
    exitCode: 3,
    hint: 'Fix the server; run `assay mcp-check` to find other violations.',
  },
  MCP_TOOLS_CHANGED: {
    meaning: 'the tools of the MCP server changed during the run',
    blame: 'target',
    exitCode: 3,
    hint: 'Keep the tools of the server unchanged during a run: results before and after a change cannot be compared.',
  },
  MCP_FEATURE_ABSENT: {
    meaning: 'the MCP server does not offer the feature that the test needs',
    blame: 'target',
    exitCode: 3,
    hint: 'Remove the test, or add the feature to the server.',
  },
  MCP_UNSUPPORTED: {
    meaning: 'the MCP server uses a feature that this version of Assay does not support',
    blame: 'engine',
    exitCode: 3,
    hint: 'Update Assay, or remove the test; the server may be correct.',
  },
  AGENT_UNKNOWN: {
    meaning: 'no agent has this name',
    blame: 'user',
    exitCode: 2,
    hint: 'List the agents with `assay agents`.',
  },
  AGENT_MISSING: {
    meaning: 'the agent is not installed on this machine',
    blame: 'user',
    exitCode: 3,
    hint: 'Install the agent; `assay agents` shows how.',
  },
  AGENT_TOO_OLD: {
    meaning: 'the installed version of the agent is older than the oldest supported one',
    blame: 'user',
    exitCode: 3,
    hint: 'Update the agent.',
  },
  AGENT_NO_KEY: {
    meaning: 'the agent has no API key for its model',
    blame: 'user',
    exitCode: 3,
    hint: 'Set the key that the agent needs in the environment.',
  },
  AGENT_CRASHED: {
    meaning: 'the agent was ended by a signal',
    blame: 'agent',
    exitCode: 3,
    hint: 'Read the output of the agent in transcript.raw.txt.',
  },
  AGENT_FAILED: {
    meaning: 'the agent ended with an error before it did anything, or could not be used',
    blame: 'agent',
    exitCode: 3,
    hint: 'Read the output of the agent in transcript.raw.txt.',
  },
  NOTHING_PROVEN: {
    meaning: 'all gates of the scenario passed before the agent started, so they prove nothing',
    blame: 'user',
    exitCode: 2,
    hint: 'Add a gate that fails until the work is done; `assay validate --prove` lists the gates that already pass.',
  },
  HEALTH_CHECK_FAILED: {
    meaning: 'the health check of the tool failed before the agent started',
    blame: 'target',
    exitCode: 3,
    hint: 'Make the `health_check` command of the scenario succeed by hand first.',
  },
  WORKSPACE_FAILED: {
    meaning: 'the work directory of a trial could not be created or read',
    blame: 'engine',
    exitCode: 3,
    hint: 'Check that the artifacts folder is writable.',
  },
  ISOLATION_UNAVAILABLE: {
    meaning: 'the requested isolation does not work on this machine',
    blame: 'user',
    exitCode: 2,
    hint: 'Choose another isolation; `assay doctor` lists those that work here.',
  },
  MODEL_UNKNOWN: {
    meaning: 'no provider is known for this model name',
    blame: 'user',
    exitCode: 2,
    hint: 'Name a model as provider/model, such as openai/gpt-4o-mini.',
  },
  MODEL_NO_KEY: {
    meaning: 'the provider of the model has no API key',
    blame: 'user',
    exitCode: 3,
    hint: 'Set the key in the environment or in the config.',
  },
  MODEL_NOT_NAMED: {
    meaning: 'a model is needed and neither the scenario nor the config names one',
    blame: 'user',
    exitCode: 3,
    hint: 'Name a model in the scenario or in the config.',
  },
  MODEL_UNAUTHORIZED: {
    meaning: 'the provider refused the API key',
    blame: 'model',
    exitCode: 3,
    hint: 'Check the API key of the provider.',
  },
  MODEL_QUOTA: {
    meaning: 'the account at the provider has no quota left',
    blame: 'model',
    exitCode: 3,
    hint: 'Add quota to the account, or use another provider; the request is not retried.',
  },
  MODEL_RATE_LIMITED: {
    meaning: 'the provider refused requests because there were too many',
    blame: 'model',
    exitCode: 3,
    hint: 'Lower the concurrency or the rate for this provider.',
  },
  MODEL_UNAVAILABLE: {
    meaning: 'the provider did not answer, or answered with a server error',
    blame: 'model',
    exitCode: 3,
    hint: 'Run these trials again with --retry-errors.',
  },
  MODEL_TIMEOUT: {
    meaning: 'the provider did not answer within the time limit',
    blame: 'model',
    exitCode: 3,
    hint: 'Raise `timeoutSecs` of the provider in the config, or use a faster model.',
  },
  MODEL_BAD_REQUEST: {
    meaning: 'the provider rejected the request as invalid',
    blame: 'model',
    exitCode: 3,
    hint: 'Read the message of the provider to see why it rejected the request.',
  },
  MODEL_BAD_REPLY: {
    meaning: 'the answer of the provider is not a valid reply',
    blame: 'model',
    exitCode: 3,
    hint: 'Run it again; if it fails again, check the base URL and the model name.',
  },
  MODEL_BUDGET_REACHED: {
    meaning: 'a model call was refused because it could exceed the spending limit',
    blame: 'user',
    exitCode: 3,
    hint: 'Raise --max-usd, or use a cheaper model.',
  },
  MODEL_NO_PRICE: {
    meaning: 'a spending limit is set and the model has no known price',
    blame: 'user',
    exitCode: 2,
    hint: 'Set a price under `models.prices` in the config, or run without --max-usd.',
  },
  REPLAY_MISS: {
    meaning: 'the recording has no reply for this request',
    blame: 'user',
    exitCode: 3,
    hint: 'Record again with --record, or undo the change to the request.',
  },
  REPLAY_UNREADABLE: {
    meaning: 'the recording cannot be read',
    blame: 'user',
    exitCode: 2,
    hint: 'Delete the recording and record it again with --record.',
  },
  REPLAY_UNWRITABLE: {
    meaning: 'the recording cannot be written',
    blame: 'user',
    exitCode: 3,
    hint: 'Check that the recordings folder is writable.',
  },
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
  OUTPUT_UNWRITABLE: {
    meaning: 'a report or another output could not be written',
    blame: 'user',
    exitCode: 3,
    hint: 'Free disk space, or write to another place; the run itself is not affected.',
  },
  NOT_OBSERVED: {
    meaning: 'the trace does not contain what the assertion looks at',
    blame: 'target',
    exitCode: 3,
    hint: 'Let the target report what the assertion looks at, or remove the assertion.',
  },
  TRACE_NOT_UNDERSTOOD: {
    meaning: 'an imported trace has no messages that Assay understands',
    blame: 'user',
    exitCode: 3,
    hint: 'Export the trace with the `gen_ai` semantic conventions, messages included, or import it in another format.',
  },
  NOT_REPORTED: {
    meaning: 'the target does not report what the assertion looks at',
    blame: 'user',
    exitCode: 3,
    hint: 'Declare what the target reports, such as `reports: [tool-calls]` beside the type of the connector, or assert something that can be observed.',
  },
  EVALUATOR_FAILED: {
    meaning: 'an evaluator or a plug-in failed while it evaluated a trial',
    blame: 'engine',
    exitCode: 3,
    hint: 'Fix the evaluator; the message says where it failed.',
  },
  TRIAL_SET_ASIDE: {
    meaning: 'a distributed trial lost its worker too often and is not retried',
    blame: 'target',
    exitCode: 3,
    hint: 'Run it alone with `assay run --scenario <name>`, and watch its memory, its disk space and the signals it sends.',
  },
  RUN_LIVE: {
    meaning: 'another process is running this run',
    blame: 'user',
    exitCode: 2,
    hint: 'Wait until it ends, or stop it there.',
  },
  RUN_TAKEN_OVER: {
    meaning: 'another process took over this run',
    blame: 'user',
    exitCode: 3,
    hint: 'Follow the run with `assay show <run>`.',
  },
  INTERRUPTED: {
    meaning: 'the run was interrupted before this trial ended',
    blame: 'user',
    exitCode: 3,
    hint: 'Continue with `assay run --resume <run>`.',
  },
  STORE_UNAVAILABLE: {
    meaning: 'the store could not be opened, read or written',
    blame: 'store',
    exitCode: 3,
    hint: 'Run `assay doctor` to see why the store cannot be opened or written.',
  },
  STORE_NEWER: {
    meaning: 'the store was written by a newer version of Assay',
    blame: 'store',
    exitCode: 2,
    hint: 'Update Assay, or name another store with --store.',
  },
  STORE_CORRUPT: {
    meaning: 'stored data is damaged',
    blame: 'store',
    exitCode: 3,
    hint: 'Restore the store from a backup: stored bytes changed after they were written.',
  },
  BUNDLE_REFUSED: {
    meaning: 'files of the project must not be sent to workers',
    blame: 'user',
    exitCode: 2,
    hint: 'Leave such files out with `bundle.exclude` in the config; put secrets into the environment of the workers.',
  },
  INTERNAL: {
    meaning: 'Assay has a defect',
    blame: 'engine',
    exitCode: 3,
    hint: 'Report this defect of Assay with the output of --debug.',
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

  get blame(): FaultSource {
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
