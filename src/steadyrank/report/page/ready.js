/* All is drawn: whoever waits for it, a test or a camera, may look. */
document.documentElement.dataset.ready = "yes";
