import * as z from 'zod';

/** No name, date or address is longer; what is would only cost time. */
const maxLength = 4_096;

const formats: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['date', z.iso.date()],
  ['date-time', z.iso.datetime({ offset: true })],
  ['duration', z.iso.duration()],
  ['email', z.email()],
  ['hostname', z.hostname()],
  ['ipv4', z.ipv4()],
  ['ipv6', z.ipv6()],
  ['uri', z.url()],
  ['uuid', z.guid()],
]);

/** Whether a text is what a `format` says; a format that is not known allows everything. */
export function hasFormat(format: string, text: string): boolean {
  const known = formats.get(format);
  if (!known) return true;
  return text.length <= maxLength && known.safeParse(text).success;
}
