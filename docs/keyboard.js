// What mdBook's pages have for a mouse alone: the button of the list of chapters, and those that unfold a chapter.
const buttons = "#mdbook-sidebar-toggle, .chapter-fold-toggle";
document.querySelector("#mdbook-sidebar-toggle").tabIndex = 0;
for (const button of document.querySelectorAll(buttons)) {
    button.setAttribute("role", "button");
    button.ariaLabel ??= "Fold";
}
document.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key) && event.target.matches(buttons)) {
        event.preventDefault();
        event.target.click();
    }
});

// The list of chapters stands before the text, and is longer than a reader goes through by Tab.
const past = document.createElement("a");
past.className = "past-chapters";
past.href = "#mdbook-content";
past.textContent = "To the text";
document.body.prepend(past);
