"""Every address of the board: pages, sign-in, admin, API."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.contrib.messages.views import SuccessMessageMixin
from django.urls import include, path, reverse_lazy

from .signin import sign_in_link


class PasswordChange(SuccessMessageMixin, auth.PasswordChangeView):  # type: ignore[type-arg]
    """Change one's password, then go back to the account."""

    success_url = reverse_lazy("account")
    success_message = "Your password is changed."


urlpatterns = [
    path("", include("catalog.urls")),
    path("", include("runner.urls")),
    path("login/", auth.LoginView.as_view(), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("account/password/", PasswordChange.as_view(), name="password_change"),
    path("sign-in/<str:token>/", sign_in_link, name="sign_in_link"),
    path("api/v1/", include("config.api")),
    path("admin/", admin.site.urls),
]

handler404 = "catalog.problems.not_found"
