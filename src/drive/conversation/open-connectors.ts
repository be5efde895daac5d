import type { Report } from '../../domain/capability.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Connector, ConnectorKind } from '../connectors/connector.ts';
import { defaultRetryPolicy } from '../connectors/retry-policy.ts';
import type { ToolLoopConfig } from '../connectors/tool-loop/tool-loop-config.ts';
import type { Transform } from '../connectors/transform.ts';
import { withRetries } from '../connectors/with-retries.ts';
import { systemClock } from '../pacing/clock.ts';
import { expandSetting, expandSettings } from '../targets/call/expand-settings.ts';
import type { TargetContext } from '../targets/target.ts';
import { type ConnectorSpec, type ConversationConfig, placeOf } from './conversation-config.ts';
import { unknownType } from './conversation-target.ts';

/** Things by name, each opened once; one that cannot be opened fails only the trials that use it. */
export class OpenedOnce<Value extends AsyncDisposable> implements AsyncDisposable {
  readonly #opening = new Map<string, Promise<Value>>();
  readonly #open: Value[] = [];
  #isClosed = false;

  get(name: string, open: () => Promise<Value>): Promise<Value> {
    const opening = this.#opening.get(name) ?? open().then((opened) => this.#keep(opened));
    this.#opening.set(name, opening);
    return opening;
  }

  async #keep(opened: Value): Promise<Value> {
    this.#open.push(opened);
    if (this.#isClosed) await opened[Symbol.asyncDispose]();
    return opened;
  }

  /** One that is not open yet may never be, so it is not waited for; it is closed as soon as it is open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#open.map((opened) => opened[Symbol.asyncDispose]()));
  }
}

/** The connector of that name, with its definition; the only one where no name is given. */
export function namedConnector(
  { connectors }: Pick<ConversationConfig, 'connectors'>,
  wanted: string | undefined,
): readonly [name: string, spec: ConnectorSpec] {
  const names = Object.keys(connectors);
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  const spec = name !== undefined && Object.hasOwn(connectors, name) ? connectors[name] : undefined;
  if (name === undefined || !spec) throw noConnector(wanted, names);
  return [name, spec];
}

/** Opens a connector with all that its definition puts around it. */
export async function openConnector(
  name: string,
  spec: ConnectorSpec,
  kinds: readonly ConnectorKind[],
  trialContext: TargetContext,
): Promise<Connector> {
  const context = placeOf(spec, trialContext);
  const kind = kinds.find(({ type }) => type === spec.type);
  if (!kind) throw new AssayError('TARGET_NOT_LOADED', unknownType(spec.type, kinds));
  const config = kind.configSchema.safeParse(spec.config ?? {});
  if (!config.success) {
    const problems = config.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new AssayError('TARGET_NOT_LOADED', `Invalid config of the connector "${name}": ${problems.join('; ')}`);
  }
  const { env } = context;
  const baseUrl = spec.baseUrl === undefined ? undefined : expandSetting(`URL ${spec.baseUrl}`, spec.baseUrl, env);
  const settings = { baseUrl, headers: expandSettings('header', spec.headers, env) };
  const connector = withRetries(await kind.open(config.data, settings, context), {
    policy: spec.retry ?? defaultRetryPolicy,
    isRepeatable: kind.isRepeatable ?? false,
    clock: systemClock,
    random: Math.random,
  });
  const looped = spec.toolLoop ? await openToolLoop(connector, spec.toolLoop, context) : connector;
  const changed = spec.transform === undefined ? looped : await openTransform(looped, spec.transform, context);
  return reporting(changed, [...new Set([...(kind.reports ?? []), ...(spec.reports ?? [])])]);
}

async function openToolLoop(connector: Connector, config: ToolLoopConfig, context: TargetContext): Promise<Connector> {
  // Most connectors run no tools, and then none of this need be loaded.
  const { openToolbox } = await import('../connectors/tool-loop/toolbox.ts');
  const { withToolLoop } = await import('../connectors/tool-loop/with-tool-loop.ts');
  const toolbox = await openToolbox(config, context).catch(async (error: unknown) => {
    await connector[Symbol.asyncDispose]();
    throw error;
  });
  return withToolLoop(connector, toolbox, config.maxRounds);
}

async function openTransform(connector: Connector, transform: Transform, { directory }: TargetContext) {
  // Few answers are changed, and then none of this need be loaded.
  const { withTransform } = await import('../connectors/transform.ts');
  return withTransform(connector, transform, directory);
}

/** A connector whose answers name the facts that they report, to distinguish "none" from "not reported". */
function reporting(connector: Connector, declared: readonly Report[]): Connector {
  return {
    ...connector,
    async invoke(request) {
      const response = await connector.invoke(request);
      const reports = response.reports ? [...new Set([...declared, ...response.reports])] : declared;
      return { ...response, reports };
    },
  };
}

function noConnector(wanted: string | undefined, names: readonly string[]): AssayError {
  const message = wanted === undefined ? 'This conversation names no connector.' : `There is no connector "${wanted}".`;
  return new AssayError('TARGET_NOT_LOADED', message, {
    hint: `Name one of the connectors of this scenario: ${names.join(', ') || 'none'}.`,
  });
}
