import type * as z from 'zod';
import { mapTexts } from '../../shared/json.ts';
import type { expectedMessageSchema, PromptArgumentTest, PromptSecurityTest } from './feature-suites.ts';
import type { SamplingContentTest, SamplingSecurityTest } from './sampling-tests.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Content of an answer of the model. */
export interface SampledContent {
  readonly type: 'text' | 'image' | 'audio';
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

/** The observation that a request must lead to. */
type Expectation =
  /** The server sends such a sampling request: once where it is refused. */
  | { readonly kind: 'request'; readonly messages: readonly ExpectedMessage[]; readonly isRefused: boolean }
  /** The texts are, or are not, in its sampling requests. */
  | { readonly kind: 'data'; readonly texts: readonly string[]; readonly isSent: boolean }
  /** The request is refused or answered (either will do without `must`), and the texts are, or are not, in the answer. */
  | {
      readonly kind: 'answer';
      readonly must: 'refuse' | 'answer' | undefined;
      readonly texts: readonly string[];
      readonly isSent: boolean;
    };
type ExpectedMessage = z.output<typeof expectedMessageSchema>;

/** One row of a test that makes several requests: what to send, and what must come of it. */
export interface Probe {
  readonly about: string;
  /** Arguments of the tool or of the prompt; a text stands for every argument that the prompt has. */
  readonly args: Arguments | string;
  /** The answer of the client to every sampling request that the server sends meanwhile. */
  readonly answer?: SampledContent | 'reject';
  readonly expected: Expectation;
  /** Why nothing can be observed; then the request is not made. */
  readonly problem?: string;
}

/** Requests for a prompt with and without its arguments. */
export function argumentProbes(spec: PromptArgumentTest): Probe[] {
  const required = named(spec.requiredArgs);
  const optional = named(spec.optionalArgs);
  const right = { ...required, ...optional, ...spec.validArgs };
  const optionalNames = Object.keys(optional);
  return [
    { about: 'right arguments', args: right, expected: answered },
    ...Object.keys(required).map((key) => {
      return { about: `without the required argument "${key}"`, args: without(right, [key]), expected: refused };
    }),
    ...(optionalNames.length === 0
      ? []
      : [{ about: 'without the optional arguments', args: without(right, optionalNames), expected: answered }]),
    ...[spec.invalidArgs ?? []].flat().map((args) => {
      return { about: `invalid arguments ${JSON.stringify(args)}`, args: { ...right, ...args }, expected: refused };
    }),
  ];
}

const answered = { kind: 'answer', must: 'answer', texts: [], isSent: true } as const;
const refused = { kind: 'answer', must: 'refuse', texts: [], isSent: true } as const;

/** Requests for a prompt with hostile arguments. */
export function hostileProbes(spec: PromptSecurityTest): Probe[] {
  const inputs = [...(spec.maliciousInputs ?? []), ...(spec.injectionAttempts ?? [])];
  return [
    ...inputs.map((args) => {
      return {
        about: `hostile input ${JSON.stringify(args)}`,
        args,
        expected: spec.expectRejection ? refused : answered,
      };
    }),
    ...(spec.sanitizationTests ?? []).map(({ input, expectedSanitization }): Probe => {
      const must = expectedSanitization ? undefined : 'answer';
      const texts = Object.values(input).map(String);
      const expected = { kind: 'answer', must, texts, isSent: !expectedSanitization } as const;
      return { about: `input ${JSON.stringify(input)}`, args: input, expected };
    }),
  ];
}

/** Where only names are given, any text will do as a value. */
function named(args: PromptArgumentTest['requiredArgs']): Arguments {
  return Array.isArray(args) ? Object.fromEntries(args.map((key) => [key, 'test'])) : (args ?? {});
}

function without(args: Arguments, keys: readonly string[]): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key)));
}

const placeholder = '{{input}}';

/** Made up: reserved for examples. */
const personalData = ['Erika Mustermann', 'erika.mustermann@example.com', '+49 30 23125 000'];

const usualAnswer: SampledContent = { type: 'text', text: 'This is the answer of the model.' };

/** The calls of a security test in order. */
export function securityProbes(spec: SamplingSecurityTest): Probe[] {
  const requests = spec.unauthorizedRequests.map(({ messages, expectRejection: isRefused }, index): Probe => {
    const answer = isRefused ? 'reject' : usualAnswer;
    const expected = { kind: 'request', messages, isRefused } as const;
    return { about: `unauthorized request ${index + 1}`, args: spec.args, answer, expected };
  });
  const sensitive = spec.sensitiveDataTests.map(({ input, expectFiltering }, index) =>
    dataProbe(spec, `sensitive text ${index + 1}`, [input], !expectFiltering),
  );
  const personal = spec.privacyTests.map((test, index): Probe => {
    const about = test.description ?? `privacy test ${index + 1}`;
    const probe = dataProbe(spec, about, personalData, !test.expectDataProtection);
    const problem = 'without personal data (`includePersonalData: true`) there is nothing to protect';
    return test.includePersonalData ? probe : { ...probe, problem };
  });
  return [...requests, ...sensitive, ...personal];
}

function dataProbe(spec: SamplingSecurityTest, about: string, texts: readonly string[], isSent: boolean): Probe {
  const args = filled(spec.args, texts.join(', ')) as Arguments;
  const isGiven = JSON.stringify(spec.args).includes(placeholder);
  const problem = `no argument of the call contains \`${placeholder}\`, so the server is not given the text`;
  const probe = { about, args, answer: usualAnswer, expected: { kind: 'data', texts, isSent } } as const;
  return isGiven ? probe : { ...probe, problem };
}

function filled(value: unknown, input: string): unknown {
  return mapTexts(value, (text) => text.replaceAll(placeholder, () => input));
}

/** The calls of a content test in order. */
export function contentProbes({ args, testCases }: SamplingContentTest): Probe[] {
  return testCases.map(({ contentType, input, expectedHandling, expectedResponse }, index) => {
    const content = contentOf(contentType, input);
    const isUnclear = expectedHandling === 'convert' && expectedResponse === undefined;
    const problem = content
      ? isUnclear && '`convert` is recognised by `expectedResponse` only'
      : `the protocol has no content of the type "${contentType}"`;
    const texts = expectedResponse === undefined ? [] : [expectedResponse];
    const expected = expectedHandling === 'reject' ? refused : { ...answered, texts };
    const probe = { about: `case ${index + 1} (${contentType})`, args, answer: content ?? usualAnswer, expected };
    return problem ? { ...probe, problem } : probe;
  });
}

function contentOf(contentType: string, input: string): SampledContent | undefined {
  const [type = '', subtype] = contentType.toLowerCase().split('/');
  if (type === 'text') return { type, text: input };
  if (type === 'image') return { type, data: input, mimeType: `image/${subtype ?? 'png'}` };
  if (type === 'audio') return { type, data: input, mimeType: `audio/${subtype ?? 'wav'}` };
  return undefined;
}
