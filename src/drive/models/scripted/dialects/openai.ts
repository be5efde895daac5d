/** OpenAI's shape of an error. */
export function openaiError(status: number, message: string): unknown {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type: errorTypes[status] ?? type, param: null, code: errorCodes[status] ?? null } };
}

/** OpenAI's list of models. */
export function openaiModels(model: string): unknown {
  return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'assay' }] };
}

/** The variable that OpenAI's clients and most agents honour. */
export function openaiEnvironment(url: string): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: `${url}/v1` };
}

/** OpenAI's name for the limit that was exceeded. */
const errorTypes: Readonly<Record<number, string>> = { 429: 'requests' };

const errorCodes: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };
