// Asks for a token when the API server does not know who reads.

import { token } from './api.js';
import { el, setText } from './dom.js';

export class SignIn {
  #given;
  #words = el('p', { role: 'alert' });
  #input = el('input', {
    type: 'password',
    id: 'token',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 16384,
  });

  // `given` is called when there is a new token.
  constructor(given) {
    this.#given = given;
    this.root = el(
      'form',
      {
        id: 'sign-in',
        class: 'notice',
        hidden: true,
        on: { submit: (event) => this.#onSubmit(event) },
      },
      el('h2', {}, 'Who are you?'),
      this.#words,
      el(
        'p',
        {},
        'Give a bearer token, such as that of a kubeconfig: it stays in this tab, and goes ' +
          'nowhere but to the API server. Or open this page through kubectl proxy, which shows ' +
          'your credentials for you.',
      ),
      el('label', { class: 'field' }, el('span', {}, 'Token'), this.#input),
      el('button', { type: 'submit' }, 'Sign in'),
    );
  }

  // Shown while an answer was 401.
  render(isAsked) {
    const was = !this.root.hidden;
    this.root.hidden = !isAsked;
    if (!isAsked || was) return;
    setText(
      this.#words,
      token.get() === ''
        ? 'The API server wants to know who asks.'
        : 'The API server does not accept this token.',
    );
    // Whoever is in the middle of something is told, and not moved.
    if ([document.body, null].includes(document.activeElement)) this.#input.focus();
  }

  #onSubmit(event) {
    event.preventDefault();
    const text = this.#input.value.trim();
    if (text === '') return;
    token.set(text);
    this.#input.value = '';
    this.root.hidden = true;
    this.#given();
  }
}
