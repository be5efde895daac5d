import type { ResourceSubscriptionTest, ResourceTemplateTest } from '../../../../domain/mcp/feature-suites.ts';
import { templateOf } from '../../../../domain/mcp/suite-tests.ts';
import { isRecord } from '../../../../shared/json.ts';
import { allPages, type TestSession } from './test-session.ts';

/** Looks whether the server offers a template, fills it in, and reads what it then names. */
export async function tryTemplate(spec: ResourceTemplateTest, client: TestSession) {
  await allPages(client, 'resources/templates/list');
  const expansion = expandTemplate(templateOf(spec), spec.arguments ?? spec.parameters ?? {});
  if ('problem' in expansion) return expansion;
  await client.request('resources/read', { uri: expansion.uri });
  return expansion;
}

/** Subscribes, has the resource changed where a tool for it is named, waits for updates, and unsubscribes. */
export async function trySubscription(
  spec: ResourceSubscriptionTest,
  client: TestSession,
  waiting: { readonly timeoutMs: number; readonly signal: AbortSignal },
) {
  const { resourceUri: uri, trigger } = spec;
  let updateCount = 0;
  let onUpdate = (): void => undefined;
  using _updates = client.session.onNotification('notifications/resources/updated', (params) => {
    if (!isRecord(params) || params.uri !== uri) return;
    updateCount++;
    onUpdate();
  });
  const subscribed = await client.request('resources/subscribe', { uri });
  if (subscribed.error) return { updateCount, waitedMs: 0 };
  if (trigger) await client.call(trigger.tool, trigger.args);
  const began = performance.now();
  if (spec.expectUpdates !== undefined && updateCount === 0) {
    await waitForUpdate(
      (listener) => {
        onUpdate = listener;
      },
      { timeoutMs: spec.timeout ?? waiting.timeoutMs, signal: waiting.signal },
    );
  }
  const waitedMs = performance.now() - began;
  await client.request('resources/unsubscribe', { uri });
  return { updateCount, waitedMs };
}

function waitForUpdate(
  listen: (listener: () => void) => void,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    listen(end);
  });
}

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
