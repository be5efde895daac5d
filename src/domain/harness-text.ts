/** `reviewed: sub-agent reviewer (agents of its first line), plug-in lint NOT SEEN`. */
export function describeHarness({
  name,
  parts,
}: {
  name: string;
  parts: Readonly<Record<string, string | null>>;
}): string {
  const words = Object.entries(parts).map(([part, where]) =>
    where === null ? `${part} NOT SEEN` : `${part} (${where})`,
  );
  return `${name}: ${words.join(', ') || 'nothing'}`;
}
