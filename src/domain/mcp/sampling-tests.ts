import * as z from 'zod';
import { mapTexts } from '../../shared/json.ts';
import { expectedMessageSchema } from './feature-suites.ts';

/** The call that gives a server the occasion to send a request to its client. */
export const calledTool = {
  tool: z.string().min(1).optional().describe('tool whose call makes the server send a request to its client'),
  args: z.record(z.string(), z.unknown()).default({}).describe('arguments of the call'),
};

const named = {
  name: z.string().min(1).describe('name of the test'),
  description: z.string().optional().describe('what the test is for'),
};

/** A test of how a server takes a refusal, and of the data that it sends to the model of its client. */
export const samplingSecurityTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  unauthorizedRequests: z
    .array(
      z.strictObject({
        messages: z.array(expectedMessageSchema).default([]).describe('messages by which the request is recognised'),
        expectRejection: z
          .boolean()
          .default(true)
          .describe('true: the client refuses the request, and the server must not send it again'),
      }),
    )
    .default([])
    .describe('requests that the client refuses'),
  sensitiveDataTests: z
    .array(
      z.strictObject({
        input: z.string().min(1).describe('sensitive text; it replaces `{{input}}` in `args`'),
        expectFiltering: z
          .boolean()
          .default(true)
          .describe('whether the text must be missing in the requests of the server'),
      }),
    )
    .default([])
    .describe('sensitive texts that the server is given'),
  privacyTests: z
    .array(
      z.strictObject({
        description: z.string().optional().describe('what the test is for'),
        includePersonalData: z
          .boolean()
          .default(true)
          .describe('whether a made-up name, address and number replace `{{input}}` in `args`'),
        expectDataProtection: z
          .boolean()
          .default(true)
          .describe('whether they must be missing in the requests of the server'),
      }),
    )
    .default([])
    .describe('personal data that the server is given'),
});
export type SamplingSecurityTest = z.output<typeof samplingSecurityTestSchema>;

/** A test of how a server handles types of content in the answer of the model. */
export const samplingContentTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  testCases: z
    .array(
      z.strictObject({
        contentType: z.string().min(1).describe('`text`, `image` or `audio`, or a MIME type of one of them'),
        input: z.string().describe('the text, or the data as Base64, that the model answers with'),
        expectedHandling: z
          .enum(['accept', 'reject', 'convert'])
          .describe('the tool returns a result, an error, or a result that contains `expectedResponse`'),
        expectedResponse: z.string().optional().describe('text in the result of the tool'),
      }),
    )
    .default([])
    .describe('answers of the model'),
});
export type SamplingContentTest = z.output<typeof samplingContentTestSchema>;

/** Several requests of a server in one call, and what it does after each answer. */
export const samplingWorkflowTestSchema = z.strictObject({
  ...named,
  ...calledTool,
  steps: z
    .array(
      z.strictObject({
        stepType: z.string().optional().describe('kind of step, for readers'),
        action: z.string().optional().describe('what happens, for readers'),
        userResponse: z
          .string()
          .optional()
          .describe('answers the request that the server has sent: `approve`, `reject`, or the text of the answer'),
        expectedOutcome: z
          .string()
          .optional()
          .describe('text in what the server sends then: its next request, or the answer of the tool'),
        timeoutMs: z.number().positive().optional().describe('most milliseconds until the server sends it'),
      }),
    )
    .default([])
    .describe('steps in order'),
  expectSuccess: z.boolean().default(true).describe('whether the tool returns a result in the end, and not an error'),
});
export type SamplingWorkflowTest = z.output<typeof samplingWorkflowTestSchema>;

/** Content of an answer of the model. */
export interface SampledContent {
  readonly type: 'text' | 'image' | 'audio';
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

/** The observation that a call must lead to. */
type Expectation =
  | { readonly kind: 'refusal'; readonly messages: readonly z.output<typeof expectedMessageSchema>[] }
  | { readonly kind: 'approval'; readonly messages: readonly z.output<typeof expectedMessageSchema>[] }
  | { readonly kind: 'data'; readonly texts: readonly string[]; readonly isSent: boolean }
  | {
      readonly kind: 'handling';
      readonly handling: 'accept' | 'reject' | 'convert';
      readonly response: string | undefined;
    };

/** One call of a test, with the answer of the client to every request that the server sends meanwhile. */
export interface SamplingProbe {
  readonly about: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: SampledContent | 'reject';
  readonly expected: Expectation;
  /** Why nothing can be observed; then the call is not made. */
  readonly problem?: string;
}

const placeholder = '{{input}}';

/** Made up: reserved for examples. */
const personalData = ['Erika Mustermann', 'erika.mustermann@example.com', '+49 30 23125 000'];

const usualAnswer: SampledContent = { type: 'text', text: 'This is the answer of the model.' };

/** The calls of a security test in order. */
export function securityProbes(spec: SamplingSecurityTest): SamplingProbe[] {
  const requests = spec.unauthorizedRequests.map(({ messages, expectRejection }, index): SamplingProbe => {
    const about = `unauthorized request ${index + 1}`;
    if (expectRejection) return { about, args: spec.args, answer: 'reject', expected: { kind: 'refusal', messages } };
    return { about, args: spec.args, answer: usualAnswer, expected: { kind: 'approval', messages } };
  });
  const sensitive = spec.sensitiveDataTests.map(({ input, expectFiltering }, index) =>
    dataProbe(spec, `sensitive text ${index + 1}`, [input], !expectFiltering),
  );
  const personal = spec.privacyTests.map((test, index): SamplingProbe => {
    const about = test.description ?? `privacy test ${index + 1}`;
    const probe = dataProbe(spec, about, personalData, !test.expectDataProtection);
    const problem = 'without personal data (`includePersonalData: true`) there is nothing to protect';
    return test.includePersonalData ? probe : { ...probe, problem };
  });
  return [...requests, ...sensitive, ...personal];
}

function dataProbe(
  spec: SamplingSecurityTest,
  about: string,
  texts: readonly string[],
  isSent: boolean,
): SamplingProbe {
  const args = filled(spec.args, texts.join(', ')) as SamplingProbe['args'];
  const isGiven = JSON.stringify(spec.args).includes(placeholder);
  const problem = `no argument of the call contains \`${placeholder}\`, so the server is not given the text`;
  return {
    about,
    args,
    answer: usualAnswer,
    expected: { kind: 'data', texts, isSent },
    ...(isGiven ? {} : { problem }),
  };
}

function filled(value: unknown, input: string): unknown {
  return mapTexts(value, (text) => text.replaceAll(placeholder, () => input));
}

/** The calls of a content test in order. */
export function contentProbes({ args, testCases }: SamplingContentTest): SamplingProbe[] {
  return testCases.map(({ contentType, input, expectedHandling: handling, expectedResponse: response }, index) => {
    const content = contentOf(contentType, input);
    const problem = content
      ? problemOfHandling(handling, response)
      : `the protocol has no content of the type "${contentType}"`;
    const expected = { kind: 'handling', handling, response } as const;
    const probe = { about: `case ${index + 1} (${contentType})`, args, answer: content ?? usualAnswer, expected };
    return problem === undefined ? probe : { ...probe, problem };
  });
}

function problemOfHandling(handling: string, response: string | undefined): string | undefined {
  if (handling !== 'convert' || response !== undefined) return undefined;
  return '`convert` is recognised by `expectedResponse` only';
}

function contentOf(contentType: string, input: string): SampledContent | undefined {
  const [type = '', subtype] = contentType.toLowerCase().split('/');
  if (type === 'text') return { type, text: input };
  if (type === 'image') return { type, data: input, mimeType: `image/${subtype ?? 'png'}` };
  if (type === 'audio') return { type, data: input, mimeType: `audio/${subtype ?? 'wav'}` };
  return undefined;
}
