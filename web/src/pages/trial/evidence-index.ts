/** The place of an event in its trace by the name that judges know it by (`e1` is the first); undefined for others. */
export function eventIndexOf(name: string, eventCount: number): number | undefined {
  const number = Number(/^e(\d{1,9})$/.exec(name)?.[1] ?? 0);
  return number >= 1 && number <= eventCount ? number - 1 : undefined;
}

/** The name of the event at a place. */
export function eventName(index: number): string {
  return `e${index + 1}`;
}
