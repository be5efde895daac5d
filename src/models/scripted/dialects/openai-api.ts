/** OpenAI's shape of an error. */
export function openaiError(status: number, message: string): unknown {
  return {
    error: { message, type: errorTypes[status] ?? fallbackType(status), param: null, code: codes[status] ?? null },
  };
}

/** OpenAI's list of models. */
export function openaiModels(model: string): unknown {
  return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'assay' }] };
}

/** The variables that official clients and most agents honour. */
export function openaiEnvironment(url: string): Readonly<Record<string, string>> {
  return { OPENAI_BASE_URL: `${url}/v1` };
}

const errorTypes: Readonly<Record<number, string>> = {
  429: 'requests',
};

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
};

function fallbackType(status: number): string {
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
