/** Words of providers for a status; `otherwise` is used where there is none. */
type Words = Readonly<Record<number, string>>;

function wordFor(status: number, words: Words, refused: string, failed: string): string {
  return words[status] ?? (status < 500 ? refused : failed);
}

/** OpenAI's shape of an error. */
export function openaiError(status: number, message: string): unknown {
  const type = wordFor(status, { 429: 'requests' }, 'invalid_request_error', 'server_error');
  const code = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }[status] ?? null;
  return { error: { message, type, param: null, code } };
}

const anthropicTypes: Words = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function anthropicError(status: number, message: string): unknown {
  return {
    type: 'error',
    error: { type: wordFor(status, anthropicTypes, 'invalid_request_error', 'api_error'), message },
  };
}

const geminiStatuses: Words = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function geminiError(status: number, message: string): unknown {
  const word = wordFor(status, geminiStatuses, 'INVALID_ARGUMENT', 'INTERNAL');
  return { error: { code: status, message, status: word } };
}
