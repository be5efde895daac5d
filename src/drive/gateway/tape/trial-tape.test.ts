import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../../shared/redaction/redaction.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { TrialPaths } from '../../tape/trial-paths.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import type { CallRequest } from './agent-request.ts';
import { requestNormaliser } from './normalise-request.ts';
import { rememberingParts } from './remembered-parts.ts';
import { TrialTape } from './trial-tape.ts';

const secret = 'sk-0123456789-of-the-provider';

async function tapes(setup = 'the same') {
  const file = join(await temporaryFolder(), 'running', 'trial.jsonl');
  let attempts = 0;
  const notices: string[] = [];
  const left: number[] = [];
  const open = (more: { readonly setup?: string; readonly isInterrupted?: () => boolean } = {}): TrialTape =>
    new TrialTape({
      file,
      setup,
      cannot: undefined,
      agentVersion: null,
      // Each attempt has its own work directory.
      folders: { work: `/tmp/attempt-${++attempts}/work` },
      redact: redactionOf([secret]),
      notice: (message) => notices.push(message),
      onLeft: (calls) => left.push(calls.length),
      isInterrupted: () => false,
      ...more,
    });
  return { file, open, notices, left };
}

function request(number: number, ...texts: readonly string[]): CallRequest {
  const body = JSON.stringify({ model: 'm', messages: texts.map((content) => ({ role: 'user', content })) });
  const [pathname, path] = ['/v1/chat/completions', '/chat/completions'];
  return { call: { number, api: openaiChat }, method: 'POST', pathname, path, body };
}

const times = { durationMs: 100, timeToFirstTokenMs: 20 };

function reply(tape: TrialTape, to: CallRequest, text: string, isAbandoned = false): void {
  const [status, headers, error] = [200, { 'content-type': 'application/json' }, undefined];
  tape.note(to, { status, headers, text: JSON.stringify({ text }), error, isAbandoned }, times);
}

/** Lets a call go to the provider. */
function send(tape: TrialTape, call: CallRequest): void {
  expect(tape.find(call)).toBeUndefined();
  tape.begin(call);
}

async function textOf(tape: TrialTape, call: CallRequest): Promise<string | undefined> {
  const answer = tape.find(call);
  if (!answer) return undefined;
  const chunks = await (await answer.send(new AbortController().signal)).body.toArray();
  return (JSON.parse(Buffer.concat(chunks).toString()) as { readonly text: string }).text;
}

describe('the tape of a trial', () => {
  it('gives a reply for its request, in the folders of the trial that goes on, and goes on itself', async () => {
    const { open } = await tapes();
    const first = open();
    send(first, request(1, 'In /tmp/attempt-1/work'));
    reply(first, request(1), 'cd /tmp/attempt-1/work');
    send(first, request(2, 'In /tmp/attempt-1/work', 'second'));

    const second = open();
    expect(second.earlier).toMatchObject({ answered: [{ durationMs: 100 }], underWay: [{}], cannot: undefined });
    expect(await textOf(second, request(1, 'In /tmp/attempt-2/work'))).toBe('cd /tmp/attempt-2/work');
    send(second, request(2, 'In /tmp/attempt-2/work', 'second'));
    reply(second, request(2), 'two');

    const third = open();
    expect(await textOf(third, request(1, 'In /tmp/attempt-3/work'))).toBe('cd /tmp/attempt-3/work');
    expect(await textOf(third, request(2, 'In /tmp/attempt-3/work', 'second'))).toBe('two');
    expect(third.finish()).toBeUndefined();
  });

  it('answers calls that were open together in any order, and a later one not before them', async () => {
    const { open, left } = await tapes();
    const first = open();
    send(first, request(1, 'one'));
    send(first, request(2, 'two'));
    reply(first, request(2), 'to two');
    reply(first, request(1), 'to one');
    send(first, request(3, 'three'));
    reply(first, request(3), 'to three');
    expect(open().answeredMs).toBeLessThan(300);

    const second = open();
    expect(await textOf(second, request(1, 'two'))).toBe('to two');
    expect(() => second.find(request(2, 'three'))).toThrow('call 2 of the agent differs from the one on its tape in');
    expect(left).toEqual([1]);
  });

  it('lets a call that was under way go to the provider, and leaves the others to be repeated', async () => {
    const { open } = await tapes();
    const first = open();
    send(first, request(1, 'one'));
    send(first, request(2, 'two'));
    reply(first, request(2), 'to two');
    const second = open();
    send(second, request(1, 'one'));
    expect(await textOf(second, request(2, 'two'))).toBe('to two');
  });

  it('refuses another request, and the attempt that follows knows why', async () => {
    const { open } = await tapes();
    const first = open();
    send(first, request(1, 'Draw 17'));
    reply(first, request(1), 'to one');
    const second = open();
    expect(() => second.find(request(1, 'Draw 18'))).toThrow(expect.objectContaining({ code: 'TRIAL_NOT_REPEATED' }));
    const third = open();
    const difference =
      'call 1 of the agent differs from the one on its tape in message 1 (user) at content ("Draw 17" became "Draw 18")';
    expect(third.earlier).toMatchObject({ answered: [{}], cannot: difference });
    send(third, request(1, 'Draw 19'));
    expect(third.finish()).toBeUndefined();
    expect(open().earlier).toMatchObject({ answered: [], cannot: undefined });
  });

  it('is not repeated by an agent that ends earlier, unless it was interrupted', async () => {
    const { open } = await tapes();
    const first = open();
    send(first, request(1, 'one'));
    reply(first, request(1), 'to one');
    expect(open({ isInterrupted: () => true }).finish()).toBeUndefined();
    expect(open().finish()).toMatchObject({ message: expect.stringContaining('ended without 1 call on its tape') });
  });

  it.each([
    ['other settings', { setup: 'another' }, 'one', /settings have changed/],
    ['a secret in a reply', {}, `say ${secret}`, /secret was taken out/],
  ] as const)('is of no use with %s', async (_what, more, text, reason) => {
    const { open, file } = await tapes();
    const first = open();
    send(first, request(1, `one ${secret}`));
    reply(first, request(1), text);
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(open(more).earlier?.cannot).toMatch(reason);
  });

  it('has nothing of what an agent does after it was interrupted', async () => {
    const { open } = await tapes();
    let isInterrupted = false;
    const first = open({ isInterrupted: () => isInterrupted });
    send(first, request(1, 'one'));
    isInterrupted = true;
    reply(first, request(1), 'cut', true);
    send(first, request(2, 'two'));
    expect(open().earlier).toMatchObject({ answered: [], underWay: [{}] });
  });

  it('may end in a line that was cut off, wherever a process was killed', async () => {
    const { open, file } = await tapes();
    const first = open();
    send(first, request(1, 'one'));
    reply(first, request(1), 'to one');
    appendFileSync(file, '{"sent":{"numb');
    const second = open();
    expect(await textOf(second, request(1, 'one'))).toBe('to one');
    send(second, request(2, 'two'));
    reply(second, request(2), 'to two');
    expect(open().earlier).toMatchObject({ answered: [{}, {}], cannot: undefined });
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((line) => !line.startsWith('{"sent":{"number":1,')).join('\n'));
    expect(open().earlier).toMatchObject({ cannot: 'a line of its tape is missing' });
  });

  it('that cannot be written stops nothing', async () => {
    const { open, file, notices } = await tapes();
    mkdirSync(file, { recursive: true });
    const tape = open();
    send(tape, request(1, 'one'));
    reply(tape, request(1), 'to one');
    expect(tape.finish()).toBeUndefined();
    expect(notices).toEqual([expect.stringMatching(/^Model calls are not kept for --resume any more: /)]);
    expect(existsSync(file)).toBe(true);
  });
});

it('looks at each part of a request once, with the same result', () => {
  const paths = new TrialPaths({ work: '/tmp/attempt/work' });
  const normalise = requestNormaliser({ paths, redact: redactionOf([secret]), agentVersion: '1.2.3' });
  const remembering = rememberingParts(normalise);
  const text = fc.constantFrom('one', secret, '/tmp/attempt/work/a', '2026-01-01', 'v1.2.3');
  const part = fc.dictionary(fc.constantFrom('role', 'content', 'user', 'cache_control', 'api_key'), text);
  const value = fc.oneof(text, fc.array(text), fc.array(part), part, fc.nat());
  const field = fc.constantFrom('model', 'messages', 'tools', 'user', 'metadata', 'cache_control', 'max_tokens');
  fc.assert(
    fc.property(fc.dictionary(field, value), (body) => {
      for (let times = 0; times < 2; times++) expect(remembering(body)).toEqual(normalise(body));
    }),
    { seed: 71, numRuns: 300 },
  );
});
