import { isRecord } from '../../../shared/json.ts';
import { outputText } from './output-text.ts';

/** The message of the error that an output is or tells of; undefined when it tells of none. */
export function outputError(output: unknown): string | undefined {
  if (output instanceof Error) return output.message;
  if (!isRecord(output)) return undefined;
  const { error, isError, success } = output;
  if (error !== undefined && error !== null && error !== false) return messageOf(error);
  if (isError === true) return outputText(output);
  return success === false ? outputText(output) : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  return outputText(error);
}
