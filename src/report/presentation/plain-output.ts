/** What a program printed without the codes that steer a terminal, so that it reads as its user would see it. */
export function plainOutput(text: string): string {
  return text
    .replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-_])/g, '')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '\uFFFD');
}

/** A value for reading: texts as they are, anything else as indented JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return plainOutput(value);
  return JSON.stringify(value, null, 2) ?? 'undefined';
}
