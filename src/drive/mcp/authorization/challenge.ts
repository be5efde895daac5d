/** The part of `WWW-Authenticate` that is about tokens. */
export interface BearerChallenge {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly resourceMetadata?: string | undefined;
}

const token = String.raw`[!#$%&'*+.^_\`|~0-9A-Za-z-]+`;
const parameter = new RegExp(String.raw`^\s*(${token})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|(${token}))\s*(?:,|$)`);
const scheme = new RegExp(String.raw`^\s*(${token})(?:\s+|\s*,\s*|\s*$)`);
/** A token68 value, such as that of Negotiate; parameters cannot follow it. */
const token68 = /^\s*[A-Za-z0-9._~+/-]+=*\s*(?:,|$)/;

/** The Bearer challenge of a header that may hold several; undefined where there is none. */
export function bearerChallenge(header: string | null): BearerChallenge | undefined {
  let rest = header ?? '';
  while (rest.trim() !== '') {
    const [start, name = ''] = scheme.exec(rest) ?? [];
    if (start === undefined) return undefined;
    const { values, after } = readParameters(rest.slice(start.length));
    if (name.toLowerCase() === 'bearer') return challengeOf(values);
    if (after === rest) return undefined;
    rest = after;
  }
  return undefined;
}

function readParameters(text: string): { readonly values: ReadonlyMap<string, string>; readonly after: string } {
  const values = new Map<string, string>();
  let rest = text;
  for (;;) {
    const [whole, name = '', quoted, plain] = parameter.exec(rest) ?? [];
    if (whole === undefined) break;
    values.set(name.toLowerCase(), quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'));
    rest = rest.slice(whole.length);
  }
  if (values.size > 0) return { values, after: rest };
  const [opaque] = token68.exec(rest) ?? [];
  return { values, after: opaque === undefined ? rest : rest.slice(opaque.length) };
}

function challengeOf(values: ReadonlyMap<string, string>): BearerChallenge {
  const scope = values.get('scope');
  return {
    error: values.get('error'),
    errorDescription: values.get('error_description'),
    ...(scope !== undefined && { scopes: scopesIn(scope) }),
    resourceMetadata: values.get('resource_metadata'),
  };
}

/** The scopes of a list that is separated by spaces. */
export function scopesIn(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))];
}
