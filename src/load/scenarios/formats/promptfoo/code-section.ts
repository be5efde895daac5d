import type { Located, PromptfooReading } from './located.ts';
import { existsBeside, isCode, referenceIn } from './referenced-files.ts';

/** JavaScript of a config: code, or a function of a module. */
export type ConfigCode = { readonly code: string } | { readonly module: string; readonly export: string };

/** Reads code; undefined after a problem was reported. */
export function readCode(item: Located, what: string, reading: PromptfooReading): ConfigCode | undefined {
  const { found } = reading;
  const { text } = item;
  if (text === undefined || text.trim() === '') {
    found.problems.push(item.problem(`${what} must be JavaScript`));
    return undefined;
  }
  const reference = referenceIn(text);
  if (!reference) return { code: text };
  if (!isCode(reference.path)) {
    const hint = 'Use JavaScript, or the evaluator `command` for a program in any language.';
    found.problems.push(item.problem(`${what} from ${reference.path} has no equal in Assay`, hint));
    return undefined;
  }
  if (!existsBeside(reference.path, reading)) {
    found.problems.push(item.problem(`there is no file ${reference.path}`));
    return undefined;
  }
  return { module: reference.path, export: reference.exportName ?? 'default' };
}

/** The code as a step of a connector's transform. */
export function transformStep(code: ConfigCode): string | { readonly module: string; readonly export: string } {
  return 'code' in code ? code.code : code;
}
