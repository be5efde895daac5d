import { element } from './elements.ts';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const key = 'assay-report-theme';

/** A switch between the colours of the system, light and dark; the choice is kept where the browser allows it. */
export function themeSwitch(): HTMLElement {
  let theme = keptTheme();
  const button = element('button', { type: 'button', class: 'quiet', onclick: () => choose(nextOf(theme)) });
  const choose = (chosen: Theme): void => {
    theme = chosen;
    document.documentElement.dataset.theme = theme;
    button.textContent = `Colours: ${theme}`;
    keep(theme);
  };
  choose(theme);
  return button;
}

function nextOf(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
}

function keptTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A page that may not keep anything still has its switch.
  }
}
