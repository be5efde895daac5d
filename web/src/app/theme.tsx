import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { classes } from '../kit/classes.ts';

/** Which colours are wanted; `system` follows the machine. */
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'assay-theme';

/** The choice of last time. */
export function keptTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'system';
  } catch {
    return 'system';
  }
}

/** Shows the page in these colours, and keeps the choice where the browser allows it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The choice lasts as long as the page.
  }
}

const looks = {
  system: { icon: Monitor, label: 'Colours of the system' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
} as const;

/** Switches between light, dark and what the system says. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">Colours</legend>
      {themes.map((choice) => {
        const { icon: Icon, label } = looks[choice];
        return (
          <button
            key={choice}
            type="button"
            aria-label={label}
            aria-pressed={choice === theme}
            title={label}
            onClick={() => {
              applyTheme(choice);
              setTheme(choice);
            }}
            className={classes('rounded p-1', choice === theme ? 'bg-raised text-ink' : 'text-muted hover:text-ink')}
          >
            <Icon size={14} aria-hidden />
          </button>
        );
      })}
    </fieldset>
  );
}
