import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plugin } from '../compose/plugins/define.ts';
import type { Message } from '../domain/message.ts';
import type { Connector, ConnectorKind, ConnectorRequest, ConnectorResponse } from '../drive/connectors/connector.ts';
import type { TargetContext } from '../drive/targets/target.ts';
import { errorTable, messageSchema, onlyPart, Threads, toJSONSchema } from './program.ts';

interface Endpoint {
  readonly config?: unknown;
  readonly baseUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface ConnectorSamples extends Endpoint {
  /** An agent that answers every prompt; called before each test, so it may be started then. */
  readonly endpoint?: () => Promise<Endpoint> | Endpoint;
  /** Address without a server: a request must fail with an error of the target. */
  readonly unreachable?: Endpoint | undefined;
  /** Messages of the user; harmless by default. */
  readonly prompts?: readonly [string, string] | undefined;
  /** Configs that must be refused when a scenario is loaded. */
  readonly badConfigs?: readonly unknown[];
  readonly context?: Partial<TargetContext> | undefined;
}

/** Behaviour of every connector, whatever it talks to. */
export function describeConnectorContract(definition: Plugin | ConnectorKind, samples: ConnectorSamples): void {
  const kind = onlyPart('connectors', definition);
  const { badConfigs = [], unreachable, prompts = ['Hello', 'And what else?'] } = samples;
  const open = (endpoint: Endpoint): Promise<Connector> => openConnector(kind, endpoint, samples.context);

  describe(`connector contract: ${kind.type}`, () => {
    let connector: Connector;
    beforeEach(async () => {
      connector = await open(samples.endpoint ? await samples.endpoint() : samples);
    });
    afterEach(async () => {
      await connector[Symbol.asyncDispose]();
    });

    it('says what it is, and describes its config', () => {
      expect(kind.label.trim()).not.toBe('');
      expect(kind.summary.trim()).not.toBe('');
      expect(toJSONSchema(kind.configSchema, { io: 'input', unrepresentable: 'any' })).toBeTypeOf('object');
    });

    for (const [index, config] of badConfigs.entries()) {
      it(`refuses bad config ${index + 1}`, () => {
        expect(kind.configSchema.safeParse(config).success).toBe(false);
      });
    }

    it('gives the messages of the assistant and of its tools, and how long they took', async () => {
      expectAnswer(await connector.invoke(requestOf([userMessage(prompts[0])])));
    });

    it('goes on with a conversation', async () => {
      const first = await connector.invoke(requestOf([userMessage(prompts[0])]));
      const messages = [userMessage(prompts[0]), ...first.messages, userMessage(prompts[1])];
      expectAnswer(await connector.invoke(requestOf(messages, { seenCount: messages.length - 1, turn: 2 })));
    });

    it('holds several conversations at once', async () => {
      const answers = await Promise.all(
        [1, 2, 3].map((number) =>
          connector.invoke(requestOf([userMessage(prompts[0])], { conversationId: `conversation-${number}` })),
        ),
      );
      for (const answer of answers) expectAnswer(answer);
    });

    it('changes nothing of what it is given', async () => {
      const request = requestOf([userMessage(prompts[0])]);
      await connector.invoke(request);
      expect(request.messages).toEqual([userMessage(prompts[0])]);
    });

    it('gives up when its caller aborts', async () => {
      const signal = AbortSignal.abort(new Error('aborted by the caller'));
      await expect(connector.invoke(requestOf([userMessage(prompts[0])], { signal }))).rejects.toBeDefined();
    });

    it.skipIf(!unreachable)('is an error of the target when no server answers', async () => {
      await using lost = await open(unreachable ?? {});
      const error = await lost.invoke(requestOf([userMessage(prompts[0])])).catch((thrown: unknown) => thrown);
      const code = String((error as { readonly code?: unknown }).code);
      expect(Object.keys(errorTable), String(error)).toContain(code);
      expect(code).toMatch(/^TARGET_/);
    });

    it.skipIf(!kind.test)('finds its endpoint', async () => {
      const { config, settings } = settingsOf(kind, samples.endpoint ? await samples.endpoint() : samples);
      expect(await kind.test?.(config, settings, new AbortController().signal)).toMatchObject({ success: true });
    });
  });
}

function settingsOf(kind: ConnectorKind, { config = {}, baseUrl, headers = {} }: Endpoint) {
  return { config: kind.configSchema.parse(config), settings: { baseUrl, headers } };
}

async function openConnector(
  kind: ConnectorKind,
  endpoint: Endpoint,
  context: Partial<TargetContext> = {},
): Promise<Connector> {
  const { config, settings } = settingsOf(kind, endpoint);
  const nowhere = { directory: '/', env: {}, threads: new Threads(), signal: new AbortController().signal };
  return kind.open(config, settings, { ...nowhere, ...context });
}

function userMessage(content: string): Message {
  return { role: 'user', content };
}

function requestOf(messages: readonly Message[], more: Partial<ConnectorRequest> = {}): ConnectorRequest {
  const { signal } = new AbortController();
  return {
    messages,
    seenCount: 0,
    conversationId: 'conversation',
    turn: 1,
    headers: {},
    model: undefined,
    signal,
    ...more,
  };
}

function expectAnswer({ messages, latencyMs, usage }: ConnectorResponse): void {
  for (const message of messages) expect(messageSchema.safeParse(message).error).toBeUndefined();
  expect(messages.some(({ role }) => role === 'assistant')).toBe(true);
  expect(messages.filter(({ role }) => role === 'user' || role === 'system')).toEqual([]);
  expect(latencyMs).toBeGreaterThanOrEqual(0);
  if (usage) expect(Object.values(usage).every((count = 0) => count >= 0)).toBe(true);
}
