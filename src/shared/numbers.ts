/** A whole or rounded number with thousands separated: `1,234`. Loading a locale for this would cost 20 ms. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}

/** `1 trial`, `2 trials`, `1,200 trials`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}
