import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../../shared/redaction/redaction.ts';
import { apis, send, testedGateway } from '../../../testing/fakes/gateway.ts';
import { bodyOf, serve } from '../../../testing/support/http-server.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { startScriptedModel } from '../../models/scripted/index.ts';
import { TrialTape } from './trial-tape.ts';

/** Turns of the event loop in which a client would have had what a provider has written. */
const longEnough = 300;

/** A provider whose connection stays open for a while after the last byte of its reply. */
async function lateProvider(url: string): Promise<string> {
  return serve(async (request, response) => {
    const reply = await fetch(`${url}${request.url}`, { method: 'POST', body: await bodyOf(request) });
    const text = await reply.text();
    response.writeHead(200, { 'content-type': reply.headers.get('content-type') ?? '' });
    response.write(text.slice(0, text.length / 2));
    await new Promise(setImmediate);
    response.write(text.slice(text.length / 2));
    for (let turn = 0; turn < longEnough; turn++) await new Promise(setImmediate);
    response.end();
  });
}

describe.each(apis)('a reply of %s', (api) => {
  it.each([true, false])('is on the tape before its client has the end (streamed: %s)', async (isStreaming) => {
    const file = join(await temporaryFolder(), 'trial.jsonl');
    const open = () =>
      new TrialTape({
        file,
        setup: 'the same',
        cannot: undefined,
        agentVersion: null,
        folders: {},
        redact: redactionOf([]),
        notice: () => undefined,
        onLeft: () => undefined,
        isInterrupted: () => false,
      });
    await using model = await startScriptedModel({ rules: [{ reply: 'Done, as you wished.', chunks: 3 }] });
    const gateway = await testedGateway();
    const session = gateway.open({ trialTape: open() });
    const address = session.addRoute({ baseUrl: new URL(await lateProvider(model.url)), keys: [] });
    const whole = await (await send(address, api, isStreaming)).text();
    expect(readFileSync(file, 'utf8')).toContain('"replied"');

    const again = await send(address, api, isStreaming);
    let received = '';
    for await (const bytes of again.body ?? []) {
      received += Buffer.from(bytes).toString();
      // Ids differ, their lengths do not.
      if (received.length < whole.length) continue;
      expect(readFileSync(file, 'utf8').split('"replied"')).toHaveLength(3);
      break;
    }
    expect(received.length).toBe(whole.length);
    await session.conclude();
    expect(open().earlier?.answered).toHaveLength(2);
  });
});
