import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../../../domain/trace-schema.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';
import { digested } from './digests.ts';
import { RecordedCalls } from './recorded-calls.ts';
import type { TapedCall } from './tape.ts';

const schema = { type: 'object', properties: { city: { type: 'string', description: 'x'.repeat(300) } } };

/** The tools of a request, and a reply that calls one of them, as each API writes them. */
const shapes: Readonly<
  Record<ModelApi, { readonly tools: (names: readonly string[]) => unknown; readonly call: (name: string) => unknown }>
> = {
  'anthropic-messages': {
    tools: (names) => names.map((name) => ({ name, input_schema: schema })),
    call: (name) => ({ type: 'content_block_start', content_block: { type: 'tool_use', id: '1', name } }),
  },
  'openai-chat': {
    tools: (names) => names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    call: (name) => ({ choices: [{ delta: { tool_calls: [{ id: '1', function: { name, arguments: '' } }] } }] }),
  },
  'openai-responses': {
    tools: (names) =>
      names.map((name) => ({
        type: 'namespace',
        name: `mcp__${name}`,
        tools: [{ type: 'function', name, parameters: schema }],
      })),
    call: (name) => ({ type: 'response.output_item.done', item: { type: 'function_call', name, arguments: '{}' } }),
  },
  gemini: {
    tools: (names) => [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }],
    call: (name) => ({ candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] } }] }),
  },
};

describe.each(Object.keys(shapes) as ModelApi[])('recorded calls of %s', (api) => {
  const { tools, call } = shapes[api];
  const requestWith = (names: readonly string[], text = 'Go on.'): ComparedRequest => ({
    fields: { model: 'test-model', tools: tools(names) },
    messages: [{ role: 'user', content: text }],
  });
  const recordedWith = (number: number, request: ComparedRequest, called = 'run'): TapedCall => {
    const reply = { status: 200, headers: {}, ending: 'whole' as const, pieces: [{ data: call(called) }] };
    return { number, api, request, reply };
  };
  const findIn = (calls: readonly TapedCall[], request: ComparedRequest) => {
    const recorded = new RecordedCalls(calls);
    return recorded.find(api, digested(request)) ?? recorded.findWithOtherTools(api, digested(request));
  };
  const withForecast = recordedWith(1, requestWith(['run', 'forecast']));

  it('are found with a tool that is not offered yet', () => {
    expect(findIn([withForecast], requestWith(['run']))).toMatchObject({
      call: { number: 1 },
      difference: { missing: [{ name: expect.stringContaining('forecast') }], added: [] },
    });
  });

  it('are found with a tool that was recorded in a later call', () => {
    const later = recordedWith(2, requestWith(['run', 'forecast'], 'And on.'));
    expect(findIn([recordedWith(1, requestWith(['run'])), later], requestWith(['run', 'forecast']))).toMatchObject({
      call: { number: 1 },
      difference: { missing: [], added: [{ name: expect.stringContaining('forecast') }] },
    });
  });

  it('are not found with a tool that was never recorded, or with another conversation', () => {
    expect(findIn([withForecast], requestWith(['run', 'forecast', 'delete_all']))).toBeUndefined();
    expect(findIn([withForecast], requestWith(['run'], 'Stop.'))).toBeUndefined();
  });

  it('are not found without a tool that the reply calls', () => {
    expect(
      findIn([recordedWith(1, requestWith(['run', 'forecast']), 'forecast')], requestWith(['run'])),
    ).toBeUndefined();
  });

  it('are found by digests as by texts', () => {
    const long = requestWith(['run'], 'A long text. '.repeat(50));
    const digest = digested(long);
    expect(JSON.stringify(digest)).not.toMatch(/A long text|properties/);
    expect(digested(digest)).toEqual(digest);
    for (const request of [long, digest])
      expect(findIn([recordedWith(1, request)], long)).toMatchObject({ status: 200 });
    expect(findIn([recordedWith(1, digest)], requestWith(['run'], 'A long text! '.repeat(50)))).toBeUndefined();
  });
});
