import { Dialog } from '../kit/dialog.tsx';
import { places } from './navigation.tsx';

const others: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['Ctrl', 'K'], 'Go to a page, run or scenario'],
  [['/'], 'Search on this page'],
  [['j', '↓'], 'Next row or event'],
  [['k', '↑'], 'Previous row or event'],
  [['Enter'], 'Open the selected item'],
  [[']'], 'Next case or trial'],
  [['['], 'Previous case or trial'],
  [['n'], 'Next hit in a trace'],
  [['N'], 'Previous hit in a trace'],
  [['Esc'], 'Close, or clear the search'],
  [['?'], 'These keys'],
];

/** The list of keyboard shortcuts. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const rows = [...others, ...places.map(({ key, label }) => [['g', key], `Go to ${label}`] as const)];
  return (
    <Dialog title="Keys" isOpen onClose={onClose}>
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-2">
        {rows.map(([keys, meaning]) => (
          <div key={meaning} className="flex items-center justify-between gap-3">
            <dt>{meaning}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-line bg-raised px-1.5 text-center font-mono text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
