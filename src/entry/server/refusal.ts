import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type AssayError, asAssayError, type ErrorCode } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import type { ApiError } from './api/paging.ts';

interface RefusalOptions {
  readonly hint?: string | undefined;
  /** Further fields of the answer. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** An answer with its own HTTP status, for errors outside the table of `AssayError`. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: ContentfulStatusCode, code: string, message: string, options: RefusalOptions = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** The answer for anything that was thrown. */
export function refusalOf(thrown: unknown): { readonly status: ContentfulStatusCode; readonly body: ApiError } {
  if (thrown instanceof Refusal) {
    const { status, code, message, hint, details } = thrown;
    return { status, body: { error: message, code, ...(hint === undefined ? {} : { hint }), ...details } };
  }
  const error = asAssayError(thrown);
  return { status: statusOf(error), body: bodyOf(error) };
}

const statuses: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  RUN_CHANGED: 409,
  RUN_LIVE: 409,
  FILE_INVALID: 422,
  CONFIG_INVALID: 422,
  STORE_UNAVAILABLE: 503,
  STORE_NEWER: 503,
  INTERNAL: 500,
};

function statusOf({ code, blame }: AssayError): ContentfulStatusCode {
  return statuses[code] ?? (blame === 'user' ? 400 : 500);
}

function bodyOf(error: AssayError): ApiError {
  const { code, message, hint } = error;
  if (!(error instanceof ProblemsError)) return { error: message, code, hint };
  const problems = error.problems.map(({ at, message: what, hint: todo }) => ({
    ...at,
    message: what,
    ...(todo === undefined ? {} : { hint: todo }),
  }));
  const count = problems.length === 1 ? 'is a problem' : `are ${problems.length} problems`;
  return { error: `There ${count} in the files of the project.`, code, problems };
}
