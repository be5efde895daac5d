import { asAssayError } from '../../../domain/errors.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { Era } from '../session.ts';
import type { Dialect, Greeting, GreetingOptions, Line } from './dialect.ts';
import { discoveryFrom } from './discovery.ts';
import { LegacyDialect } from './legacy-dialect.ts';
import { ModernDialect } from './modern-dialect.ts';

/** The era that is spoken, or a question to the server for it. */
export type Approach = Era | 'ask';

/** The era that a definition names; servers over an event stream are of the older one. */
export function approachOf(definition: ServerDefinition): Approach {
  if (definition.transport === 'sse') return 'legacy';
  const { protocol = 'auto' } = definition;
  if (protocol === 'auto') return 'ask';
  return protocol === 'legacy' ? 'legacy' : 'modern';
}

interface Opened {
  readonly dialect: Dialect;
  readonly greeting: Greeting;
}

/** Begins to talk to a server in the given era, or in the newest that both sides have. */
export async function openDialect(approach: Approach, line: Line, options: GreetingOptions): Promise<Opened> {
  if (approach === 'ask') return openEither(line, options);
  const dialect = approach === 'legacy' ? new LegacyDialect(line) : new ModernDialect(line);
  return { dialect, greeting: await dialect.open(options) };
}

/**
 * The server is of the newer era and has both: it answered the question too late, and then the handshake too. From then on
 * it may speak the older era on this connection, so it has to be opened again.
 */
export class LateDiscovery extends Error {}

/** A server that says nothing for so long may be one that does not answer questions that it does not know. */
const silenceMs = 1_000;
/** Answers to two questions that were sent together come together. */
const graceMs = 100;

/**
 * A server of the older era answers the first question with some error, or not at all. One that starts slowly answers
 * it late, but before it answers the handshake, so the handshake is begun meanwhile and the first good answer counts.
 * Throws a `LateDiscovery` where both were answered well.
 */
async function openEither(line: Line, options: GreetingOptions): Promise<Opened> {
  const modern = new ModernDialect(line);
  const legacy = new LegacyDialect(line);
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const discovered = modern.discover({ ...options, signal }, true).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  const asModern = (found: Awaited<typeof discovered>): Opened | undefined => {
    if ('error' in found) {
      if (isFinal(found.error)) throw found.error;
      return undefined;
    }
    const discovery = discoveryFrom(line.label, found.answer);
    return discovery.era === 'modern' ? { dialect: modern, greeting: modern.begin(discovery.greeting) } : undefined;
  };
  const asLegacy = async (greeting: Greeting): Promise<Opened> => {
    // Over pipes its answer may still come, and must not be taken for an answer to nothing.
    if (line.transport !== 'stdio') stop.abort();
    return { dialect: legacy, greeting: await legacy.begin(greeting, options) };
  };

  const soon = await Promise.race([discovered, silence()]);
  if (soon) return asModern(soon) ?? asLegacy(await legacy.greet(options));
  const greeted = legacy.greet(options, true).then(
    (greeting) => ({ greeting }),
    (refusal: unknown) => ({ refusal }),
  );
  const first = await Promise.race([discovered, greeted]);
  if ('greeting' in first) {
    const late = await Promise.race([discovered, silence(graceMs)]);
    if (late && asModern(late)) throw new LateDiscovery();
    return asLegacy(first.greeting);
  }
  const found = 'refusal' in first ? asModern(await discovered) : asModern(first);
  if (found) {
    const handshake = await Promise.race([greeted, silence()]);
    if (handshake && 'greeting' in handshake) throw new LateDiscovery();
    return found;
  }
  const answer = await greeted;
  if ('refusal' in answer) throw answer.refusal;
  return asLegacy(answer.greeting);
}

function silence(ms = silenceMs): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

/** An error that says more than that the server does not know the question. */
function isFinal(error: unknown): boolean {
  const { code } = asAssayError(error);
  return code === 'INTERRUPTED' || code === 'MCP_SERVER_REFUSED' || code === 'MCP_LOGIN_REQUIRED';
}
