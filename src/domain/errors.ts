import { agentErrors } from './error-codes/agent-errors.ts';
import { errorsIn, type FaultSource } from './error-codes/error-kind.ts';
import { mcpErrors } from './error-codes/mcp-errors.ts';
import { modelErrors } from './error-codes/model-errors.ts';
import { requestErrors } from './error-codes/request-errors.ts';
import { runErrors } from './error-codes/run-errors.ts';
import { targetErrors } from './error-codes/target-errors.ts';
import { verdictErrors } from './error-codes/verdict-errors.ts';

/** Every way in which something can go wrong that is neither a pass nor a fail. */
export const errorTable = /* @__PURE__ */ allErrors();

/** A call that bundlers may drop: pages that name no code leave the table out. */
function allErrors() {
  return {
    ...errorsIn(requestErrors),
    ...errorsIn(targetErrors),
    ...errorsIn(mcpErrors),
    ...errorsIn(agentErrors),
    ...errorsIn(modelErrors),
    ...errorsIn(verdictErrors),
    ...errorsIn(runErrors),
  };
}

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
  /** Where it is not that of the table: the model that failed was the judge's. */
  readonly blame?: FaultSource | undefined;
}

/** The one error class: a code of the table, what happened, where, and what to do. */
export class AssayError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly at: FilePosition | undefined;
  readonly blame: FaultSource;

  constructor(code: ErrorCode, message: string, options: AssayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AssayError';
    this.code = code;
    this.hint = options.hint ?? errorTable[code].hint;
    this.at = options.at;
    this.blame = options.blame ?? errorTable[code].blame;
  }

  get exitCode(): 2 | 3 {
    return errorTable[this.code].exitCode;
  }
}

/** Codes of the system for a place that cannot be used: the machine's state, and no defect of ours. */
const refusals: ReadonlySet<unknown> = new Set(
  'EACCES EPERM EROFS ENOSPC EDQUOT EISDIR ENOTDIR ELOOP ENAMETOOLONG EMFILE ENFILE'.split(' '),
);

/** Any thrown value as an AssayError; what we did not foresee becomes INTERNAL, unless the system refused a file. */
export function asAssayError(thrown: unknown, given?: ErrorCode): AssayError {
  if (thrown instanceof AssayError) return thrown;
  const isRefusal = thrown instanceof Error && 'syscall' in thrown && 'code' in thrown && refusals.has(thrown.code);
  const code = given ?? (isRefusal ? 'FILE_REFUSED' : 'INTERNAL');
  return new AssayError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** `file:line:column`, the form that terminals and editors make clickable. */
export function formatPosition(at: FilePosition): string {
  return `${at.file}:${at.line}:${at.column}`;
}
