/** An answer, which may be a refusal. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request; throws if no answer comes. */
export async function send(
  method: string,
  url: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<ServerAnswer> {
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, body: await readBody(response) };
}

async function readBody(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
