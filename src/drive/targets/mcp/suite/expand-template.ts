const lonelySurrogates = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** How an operator of RFC 6570 writes its values. */
interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly isNamed: boolean;
  /** Whether what has a meaning in addresses is left as it is. */
  readonly keepsReserved: boolean;
}

const plain: Operator = { first: '', separator: ',', isNamed: false, keepsReserved: false };

const operators: Readonly<Record<string, Operator>> = {
  '+': { ...plain, keepsReserved: true },
  '#': { ...plain, first: '#', keepsReserved: true },
  '.': { ...plain, first: '.', separator: '.' },
  '/': { ...plain, first: '/', separator: '/' },
  ';': { first: ';', separator: ';', isNamed: true, keepsReserved: false },
  '?': { first: '?', separator: '&', isNamed: true, keepsReserved: false },
  '&': { first: '&', separator: '&', isNamed: true, keepsReserved: false },
};

/** An address, or why there is none. */
type Expansion = { readonly uri: string } | { readonly problem: string };

/** Fills in a template of addresses (RFC 6570); a value that is missing is a problem, unless it is one of a query. */
export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): Expansion {
  const missing: string[] = [];
  const uri = template.replace(/\{([+#./;?&]?)([^{}]+)\}/g, (_whole, sign: string, list: string) => {
    const operator = operators[sign] ?? plain;
    const parts = list.split(',').flatMap((written) => {
      const [, name = '', length, explode] = /^\s*(.+?)(?::(\d+)|(\*))?\s*$/.exec(written) ?? [];
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined && value !== null) return expanded(name, cut(value, length), explode === '*', operator);
      if (sign !== '?' && sign !== '&') missing.push(name);
      return [];
    });
    return parts.length === 0 ? '' : operator.first + parts.join(operator.separator);
  });
  if (missing.length === 0) return { uri };
  return { problem: `no value for the parameter ${missing.map((name) => `"${name}"`).join(', ')} of the template` };
}

function cut(value: unknown, length: string | undefined): unknown {
  return length === undefined ? value : [...String(value)].slice(0, Number(length)).join('');
}

function expanded(name: string, value: unknown, isExploded: boolean, operator: Operator): string[] {
  const encode = (part: unknown): string => encoded(String(part), operator.keepsReserved);
  const named = (key: string, text: string): string => (operator.isNamed ? `${key}=${text}` : text);
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    return isExploded ? value.map((item) => named(name, encode(item))) : [named(name, value.map(encode).join(','))];
  }
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value);
    if (isExploded) return pairs.map(([key, part]) => `${encode(key)}=${encode(part)}`);
    return [named(name, pairs.flatMap(([key, part]) => [encode(key), encode(part)]).join(','))];
  }
  return [named(name, encode(value))];
}

function encoded(text: string, keepsReserved: boolean): string {
  const strictly = (part: string): string =>
    encodeURIComponent(part.replace(lonelySurrogates, '\uFFFD')).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  if (!keepsReserved) return strictly(text);
  return text.replace(/(%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=])|([^:/?#[\]@!$&'()*+,;=%]+|%)/g, (_whole, kept, other) =>
    kept === undefined ? strictly(String(other)) : String(kept),
  );
}
