import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Whether the name and the value may stand in a request. */
export function canSendHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
