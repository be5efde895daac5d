import type { PromptArgumentTest, PromptSecurityTest, PromptTest } from '../../../../domain/mcp/feature-suites.ts';
import { isRecord } from '../../../../shared/json.ts';
import { allPages, type TestSession } from './test-session.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments of a request for a prompt, and why; the answers are in the trace in the same order. */
export interface PromptProbe {
  readonly about: string;
  /** Whether it must be refused; undefined where either will do. */
  readonly mustBeRefused: boolean | undefined;
  /** Texts that must, or must not, be in the prompt as they are. */
  readonly texts?: readonly string[];
  readonly mustHoldTexts?: boolean;
}

type Planned = PromptProbe & { readonly args: Arguments };

/** Asks for a prompt with the arguments of the test. */
export async function tryPrompt(name: string, spec: PromptTest, talk: TestSession): Promise<void> {
  await getPrompt(name, spec.args ?? spec.arguments ?? {}, talk);
}

/** Asks for a prompt with and without its arguments. */
export async function tryArguments(name: string, spec: PromptArgumentTest, talk: TestSession): Promise<PromptProbe[]> {
  const required = named(spec.requiredArgs);
  const optional = named(spec.optionalArgs);
  const right = { ...required, ...optional, ...spec.validArgs };
  const invalid = [spec.invalidArgs ?? []].flat();
  return probeAll(name, talk, [
    { about: 'right arguments', mustBeRefused: false, args: right },
    ...Object.keys(required).map((key) => ({
      about: `without the required argument "${key}"`,
      mustBeRefused: true,
      args: without(right, [key]),
    })),
    ...(Object.keys(optional).length === 0
      ? []
      : [
          {
            about: 'without the optional arguments',
            mustBeRefused: false,
            args: without(right, Object.keys(optional)),
          },
        ]),
    ...invalid.map((args) => ({
      about: `invalid arguments ${JSON.stringify(args)}`,
      mustBeRefused: true,
      args: { ...right, ...args },
    })),
  ]);
}

/** Asks for a prompt with hostile arguments. */
export async function tryHostileInputs(
  name: string,
  spec: PromptSecurityTest,
  talk: TestSession,
): Promise<PromptProbe[]> {
  const inputs = [...(spec.maliciousInputs ?? []), ...(spec.injectionAttempts ?? [])];
  // The list also shows whether the server has the prompt at all.
  const argumentNames = inputs.length > 0 ? await argumentsOf(name, talk) : [];
  return probeAll(name, talk, [
    ...inputs.map((input) => ({
      about: `hostile input ${JSON.stringify(input)}`,
      mustBeRefused: spec.expectRejection,
      args: typeof input === 'string' ? Object.fromEntries(argumentNames.map((key) => [key, input])) : input,
    })),
    ...(spec.sanitizationTests ?? []).map(({ input, expectedSanitization }) => ({
      about: `input ${JSON.stringify(input)}`,
      mustBeRefused: expectedSanitization ? undefined : false,
      args: input,
      texts: Object.values(input).map(String),
      mustHoldTexts: !expectedSanitization,
    })),
  ]);
}

async function probeAll(name: string, talk: TestSession, planned: readonly Planned[]): Promise<PromptProbe[]> {
  for (const { args } of planned) await getPrompt(name, args, talk);
  return planned.map(({ args: _args, ...probe }) => probe);
}

/** Arguments of prompts are texts in the protocol; what is written otherwise is sent as it is, to be refused. */
async function getPrompt(name: string, args: Arguments, talk: TestSession): Promise<void> {
  await talk.request('prompts/get', { name, arguments: args });
}

/** The names of a prompt's arguments, as the server lists them. */
async function argumentsOf(name: string, talk: TestSession): Promise<string[]> {
  const listed = await allPages(talk, 'prompts/list');
  const prompts = Array.isArray(listed.result?.prompts) ? listed.result.prompts : [];
  const prompt = prompts.find((one: unknown) => isRecord(one) && one.name === name);
  const all: unknown[] = isRecord(prompt) && Array.isArray(prompt.arguments) ? prompt.arguments : [];
  return all.flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [one.name] : []));
}

/** Where only names are given, any text will do as a value. */
function named(args: PromptArgumentTest['requiredArgs']): Arguments {
  if (!Array.isArray(args)) return args ?? {};
  return Object.fromEntries(args.map((key) => [key, 'test']));
}

function without(args: Arguments, keys: readonly string[]): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key)));
}
