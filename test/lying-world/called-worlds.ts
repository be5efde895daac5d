import type { RequestListener } from 'node:http';
import { serve } from '../../src/testing/support/http-server.ts';
import type { Distortion, Lie, World } from './lie.ts';

const honestAnswer = { sum: 3 };

type Answering = readonly [Distortion, detail: string, answer: RequestListener];

const sendsText =
  (text: string, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);

const answers: readonly Answering[] = [
  ['removed', 'an empty body', sendsText('')],
  ['removed', 'status 204', (_, response) => response.writeHead(204).end()],
  ['removed', 'white space only', sendsText(' \n')],
  ['removed', 'null', sendsText('null')],
  ['removed', 'the connection closed after the headers', (_, response) => closeAfterHeaders(response)],
  ['corrupted', 'half a document', sendsText('{"sum":')],
  ['corrupted', 'a page of HTML with status 200', sendsText('<html>ok</html>', { 'content-type': 'text/html' })],
  ['corrupted', 'a number written as text', sendsText('{"sum":"3"}')],
  ['corrupted', 'bytes that are not gzip', sendsText('{"sum":3', { 'content-encoding': 'gzip' })],
  ['corrupted', 'status 500 with the right body', (_, response) => response.writeHead(500).end('{"sum":3}')],
  ['delayed', 'no answer within the time limit', () => undefined],
  ['delayed', 'half of the body within the time limit', (_, response) => response.writeHead(200).write('{"sum"')],
  ['doubled', 'two documents in one body', sendsText('{"sum":3}{"sum":3}')],
];

function closeAfterHeaders(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-length': '100' }).flushHeaders();
  response.destroy();
}

const criteria = {
  'what is expected is asserted': 'result.sum === 3',
  'what must not be is asserted': 'result.failed !== true',
};

/** An endpoint that is called directly. */
export async function endpointWorld(): Promise<World> {
  const url = await serve((request, response) => {
    request.resume();
    const index = Number(new URL(request.url ?? '/', 'http://any').searchParams.get('lie'));
    const [, , answer] = answers[index - 1] ?? ['removed', '', sendsText(JSON.stringify(honestAnswer))];
    answer(request, response);
  });
  const scenario = (lie: number, criterion: string) => (name: string) => ({
    name,
    call: { url: `${url}/?lie=${lie}` },
    input: { a: 1, b: 2 },
    timeoutSecs: 5,
    passCriteria: [criterion],
  });
  const lies = answers.flatMap(([distortion, what], index) =>
    Object.entries(criteria)
      // An answer that differs in what is not asserted is an answer.
      .filter(([, criterion]) => criterion === 'result.sum === 3' || !/as text|null/.test(what))
      .map(
        ([asserted, criterion]): Lie => ({
          source: 'target answer',
          distortion,
          detail: `${what}; ${asserted}`,
          scenario: scenario(index + 1, criterion),
        }),
      ),
  );
  return { kind: 'direct HTTP call', files: {}, honest: scenario(0, criteria['what is expected is asserted']), lies };
}

/** A program that is called directly; what it prints is right each time. */
export function programWorld(): World {
  const prints = `printf '{"sum":3}'`;
  const endings: readonly (readonly [Distortion, string, string])[] = [
    ['removed', 'killed by a signal after it answered', `${prints}; kill -9 $$`],
    ['removed', 'ended by a segmentation fault', `${prints}; kill -SEGV $$`],
    ['corrupted', 'an exit code that says it failed', `${prints}; exit 3`],
    ['delayed', 'still running at the time limit', `${prints}; sleep 30`],
    ['doubled', 'two answers before it ended', `${prints}; ${prints}`],
  ];
  const scenario = (command: string, criterion: string) => (name: string) => ({
    name,
    call: { command },
    input: {},
    timeoutSecs: 5,
    passCriteria: [criterion],
  });
  const lies = endings.flatMap(([distortion, what, command]) =>
    Object.entries(criteria).map(
      ([asserted, criterion]): Lie => ({
        source: 'exit code',
        distortion,
        detail: `${what}; ${asserted}`,
        scenario: scenario(command, criterion),
      }),
    ),
  );
  return {
    kind: 'direct command',
    files: {},
    honest: scenario(prints, criteria['what is expected is asserted']),
    lies,
  };
}
