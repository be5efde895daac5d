import { CopyButton } from './copy-button.tsx';

/** A command to type, with a button that copies it. */
export function CommandLine({ command }: { command: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-raised py-0.5 pr-0.5 pl-2 text-left">
      <code className="font-mono text-xs text-ink">{command}</code>
      <CopyButton text={command} label={`Copy: ${command}`} />
    </span>
  );
}
