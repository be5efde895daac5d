import type { ServerResponse } from 'node:http';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import type { Distortion, Source, World } from './lie.ts';

const question = 'What is the capital of France?';
const answer = 'Paris is the capital of France.';

const evidence = (quote: string, event = 'e2') => [{ event, quote }];
const verdict = (quotes: unknown, given: Readonly<Record<string, unknown>> = {}) => ({
  criteria: [{ id: 'success-1', reasoning: 'It was looked at.', evidence: quotes, answer: 'met', ...given }],
  confidence: 0.9,
});
const honestReply = JSON.stringify(verdict(evidence(answer)));
const notMet = { ...verdict(evidence(answer)).criteria[0], answer: 'not-met' };

type Reply = string | ((response: ServerResponse) => void);

const replies: readonly (readonly [Source, Distortion, string, Reply])[] = [
  ['judge answer', 'removed', 'an empty reply', ''],
  ['judge answer', 'removed', 'no choice in the reply', (response) => response.end('{"choices":[]}')],
  ['judge answer', 'removed', 'status 401', (response) => response.writeHead(401).end('{}')],
  ['judge answer', 'removed', 'status 400', (response) => response.writeHead(400).end('{}')],
  ['judge answer', 'removed', 'an empty list of criteria', JSON.stringify({ criteria: [], confidence: 1 })],
  ['judge answer', 'corrupted', 'prose', 'Yes, the criterion is clearly met.'],
  ['judge answer', 'corrupted', 'another shape', '{"verdict":"pass","score":1}'],
  ['judge answer', 'corrupted', 'half a document', honestReply.slice(0, -20)],
  ['judge answer', 'corrupted', 'another criterion', JSON.stringify(verdict(evidence(answer), { id: 'success-9' }))],
  [
    'judge answer',
    'corrupted',
    'a word that is not an answer',
    JSON.stringify(verdict(evidence(answer), { answer: 'maybe' })),
  ],
  ['judge answer', 'corrupted', 'it cannot tell', JSON.stringify(verdict([], { answer: 'cannot-tell' }))],
  ['judge answer', 'delayed', 'no reply in time', () => undefined],
  ['judge answer', 'doubled', 'two documents', honestReply + honestReply],
  [
    'judge answer',
    'doubled',
    'one criterion met and not met',
    JSON.stringify({ ...verdict([]), criteria: [...verdict(evidence(answer)).criteria, notMet] }),
  ],
  ['evidence', 'removed', 'no quote', JSON.stringify(verdict([]))],
  ['evidence', 'removed', 'an empty quote', JSON.stringify(verdict(evidence('')))],
  ['evidence', 'corrupted', 'words that nobody said', JSON.stringify(verdict(evidence('Paris it is, without doubt.')))],
  ['evidence', 'corrupted', 'an event that does not exist', JSON.stringify(verdict(evidence(answer, 'e77')))],
  ['evidence', 'corrupted', 'letters inside a word', JSON.stringify(verdict(evidence('apit')))],
  ['evidence', 'corrupted', 'half a word', JSON.stringify(verdict(evidence('Paris is the cap')))],
  ['evidence', 'corrupted', 'the question', JSON.stringify(verdict(evidence(question, 'e1')))],
  ['evidence', 'corrupted', 'a word without meaning', JSON.stringify(verdict(evidence('is')))],
];

/** A tool that answers rightly, and a judge that is asked about it. */
export async function judgedWorld(): Promise<World> {
  const url = await serveReplies();
  const liar = { baseUrl: `${url}/v1`, apiKey: 'any', timeoutSecs: 10 };
  const honest = judgedBy('liar/lie-0');
  return {
    kind: 'judged direct call',
    files: {
      'tool.mjs': `export const answer = () => ({ text: ${JSON.stringify(answer)} });`,
      'assay.config.json': JSON.stringify({ models: { providers: { liar } } }),
    },
    honest,
    lies: [
      ...replies.map(([source, distortion, detail], index) => ({
        source,
        distortion,
        detail,
        scenario: judgedBy(`liar/lie-${index + 1}`),
      })),
      {
        source: 'judge answer',
        distortion: 'removed',
        detail: 'no such provider',
        scenario: judgedBy('nowhere/model'),
      },
      {
        source: 'judge answer',
        distortion: 'removed',
        detail: 'no API key',
        scenario: judgedBy('openai/gpt-4o-mini'),
      },
      { source: 'evidence', distortion: 'doubled', detail: 'one quote twice', scenario: honest, mayPass: true },
    ],
  };
}

function judgedBy(model: string) {
  return (name: string) => ({
    name,
    call: { module: './tool.mjs', export: 'answer' },
    input: { question },
    passCriteria: ['result.text.length > 0'],
    judge: { model, successCriteria: 'The answer names Paris.' },
  });
}

/** A model server whose models are called `lie-1`, `lie-2` and so on, each with its reply; `lie-0` is honest. */
function serveReplies(): Promise<string> {
  return serve(async (request, response) => {
    const { model } = JSON.parse(await bodyOf(request)) as { model: string };
    const reply = replies[Number(model.replace('lie-', '')) - 1]?.[3] ?? honestReply;
    response.setHeader('content-type', 'application/json');
    if (typeof reply === 'function') return reply(response);
    const message = { role: 'assistant', content: reply };
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    response.end(
      JSON.stringify({
        id: 'r',
        object: 'chat.completion',
        created: 1,
        model,
        usage,
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      }),
    );
  });
}
