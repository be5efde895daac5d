import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      // A page that may not use the clipboard still shows the text.
      setIsCopied(false);
    }
  };
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copy()}
      onBlur={() => setIsCopied(false)}
      className="rounded p-1 text-muted hover:bg-raised hover:text-ink"
    >
      {isCopied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
    </button>
  );
}
