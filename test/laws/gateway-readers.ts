import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TraceEvent, UnstampedEvent } from '../../src/domain/trace.ts';
import { type Gateway, openGateway } from '../../src/drive/gateway/open-gateway.ts';
import { ProviderUpstream } from '../../src/drive/gateway/upstream.ts';
import { redactionOf } from '../../src/shared/redaction/redaction.ts';
import { apis, send } from '../../src/testing/fakes/gateway.ts';
import { bytesOfText } from '../../src/testing/support/raw-bytes.ts';
import { type WireSample, wireCorpus } from '../../src/testing/support/wire-corpus.ts';
import { atFixedTimes, oneTrial, type Reader, type Reading } from './reader.ts';
import { asServerSentEvents } from './spoken-reader.ts';

type Api = (typeof apis)[number];

const started: TraceEvent = {
  ...{ type: 'agent-started', at: 0, seenBy: 'engine', agent: 'claude', version: null, model: null },
  ...{ isolation: 'none', isScripted: false, reports: ['usage'] },
} as TraceEvent;
const ended: TraceEvent = {
  ...{ type: 'agent-ended', at: 1, seenBy: 'engine', exitCode: 0, signal: null, timedOut: false },
  ...{ completed: true, reason: null },
};

/** Replies of a provider to an agent, as the gateway between them reads them. */
function gatewayReader(api: Api): Reader {
  let reply = { body: '', contentType: '' };
  let gateway: Gateway | undefined;
  let provider = '';
  const read = async ({ isStream }: WireSample, text: string): Promise<Reading> => {
    reply = isStream
      ? { body: asServerSentEvents(text), contentType: 'text/event-stream' }
      : { body: text, contentType: 'application/json' };
    return gateway ? callThrough(gateway, provider, api, isStream) : oneTrial([]);
  };
  return {
    name: `gateway/${api}`,
    documents: wireCorpus
      .filter(({ codec }) => codec.name === api)
      .map((sample) => ({
        name: `${sample.name}${sample.isStream ? ', streamed' : ''}`,
        text: textOf(sample),
        read: (text) => read(sample, text),
      })),
    async open() {
      const server = createServer((request, response) => {
        const { body, contentType } = reply;
        request
          .resume()
          .on('end', () => response.writeHead(200, { 'content-type': contentType }).end(bytesOfText(body)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const opened = await openGateway({ upstream: new ProviderUpstream({}) });
      gateway = opened;
      return {
        async [Symbol.asyncDispose]() {
          await opened[Symbol.asyncDispose]();
          server.closeAllConnections();
          server.close();
        },
      };
    },
  };
}

function textOf({ content, isStream }: WireSample): string {
  if (!isStream) return JSON.stringify(content);
  return `${(content as unknown[]).map((event) => JSON.stringify(event)).join('\n')}\n`;
}

/** A trial of an agent that called its model once. */
async function callThrough(gateway: Gateway, provider: string, api: Api, isStreaming: boolean): Promise<Reading> {
  const events: UnstampedEvent[] = [];
  const session = gateway.openSession({
    emit: (event) => void events.push(event),
    redact: redactionOf([]),
    folder: undefined,
    limits: { costOf: (_, usage) => (usage.inputTokens ?? 0) / 1e6 },
    task: 'Do the task.',
    onLimit: () => undefined,
  });
  const address = session.addRoute({ baseUrl: new URL(provider), keys: ['sk-0123456789'] });
  await (await send(address, api, isStreaming)).text().catch(() => '');
  await session.conclude();
  const seen = events.map((event) => ({ seenBy: 'gateway', ...event, at: 0 }) as TraceEvent);
  return oneTrial(atFixedTimes([started, ...seen, ended]));
}

/** Readers of model calls that the gateway watches. */
export const gatewayReaders: readonly Reader[] = apis.map(gatewayReader);
