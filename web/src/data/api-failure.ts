import type { ApiError } from '../../../src/entry/server/api/paging.ts';

/** A refusal of the server, or that it cannot be reached (status 0). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly problems: NonNullable<ApiError['problems']>;
  /** The whole answer, for refusals that carry more, such as the present state of a file in conflict. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    const told = isApiError(body) ? body : null;
    super(told?.error ?? `The server answered with status ${status}`);
    this.status = status;
    this.code = told?.code ?? 'UNKNOWN';
    this.hint = told?.hint ?? null;
    this.problems = told?.problems ?? [];
    this.body = body;
  }

  /** What happened, in words for people. */
  get error(): string {
    return this.message;
  }

  /** Nobody answered: the server has ended, or the machine cannot be reached. */
  get isAway(): boolean {
    return this.status === 0;
  }

  /** The server does not know this browser, as after it was started again. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** That nobody answered. */
export function serverAway(): ApiFailure {
  return new ApiFailure(0, {
    error: 'The server does not answer',
    code: 'SERVER_AWAY',
    hint: 'It may have been stopped. Start it again with: assay serve',
  });
}

function isApiError(body: unknown): body is ApiError {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  );
}
